import { isTimeZone } from 'class-validator';
import { CurrencyField, field } from '../../../platform/http/request-fields';
import { ResponseField } from '../../../platform/http/response-fields';
import { AccountSettings } from '../domain/account';

const MAX_TIMEZONE_CHARACTERS = 64;
const MAX_LANGUAGE_CHARACTERS = 64;

const Timezone = () =>
  field(
    {
      expected: 'an IANA time zone',
      isValid: isZone,
      schema: { type: 'string', example: 'Europe/Berlin' },
    },
    { optional: true },
  );

const Language = () =>
  field(
    {
      expected: 'a BCP 47 language tag',
      isValid: isLanguage,
      schema: { type: 'string', example: 'de-DE' },
    },
    { optional: true },
  );

/** The runtime accepts offsets such as `+02:00`, but they have no rules for daylight saving time. */
function isZone(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= MAX_TIMEZONE_CHARACTERS &&
    /^[a-z]/i.test(value) &&
    isTimeZone(value)
  );
}

function isLanguage(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_LANGUAGE_CHARACTERS) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false; // Intl throws a RangeError for an invalid tag
  }
}

export class SettingsRequest implements Partial<AccountSettings> {
  @CurrencyField({ optional: true }) currency?: string;
  @Timezone() timezone?: string;
  @Language() language?: string;
}

export class SettingsResponse implements AccountSettings {
  @ResponseField({ example: 'EUR' }) currency: string;
  @ResponseField({ example: 'Europe/Berlin' }) timezone: string;
  @ResponseField({ example: 'de-DE' }) language: string;
}
