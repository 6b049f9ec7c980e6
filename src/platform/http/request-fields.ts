import { applyDecorators } from '@nestjs/common';
import { ApiHideProperty, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { isEmail, isISO4217CurrencyCode, IsOptional, ValidateBy, ValidateIf } from 'class-validator';
import { parseTimestamp } from '../../kernel/clock';
import type { ErrorCode } from '../../kernel/domain-error';
import type { IdPrefix } from '../../kernel/ids';
import { METADATA_LIMITS, metadataFault } from '../../kernel/metadata';
import { isAmount, MAX_MINOR_UNITS } from '../../kernel/money';
import { countCharacters, hasVisibleCharacter, isUnambiguousEmail } from '../../kernel/text';
import {
  amountSchema,
  currencySchema,
  enumSchema,
  exampleId,
  idSchema,
  versionSchema,
} from './response-fields';

/** What every request field takes besides its own rule. */
export interface FieldOptions {
  readonly optional?: true;
  /** The field may be null. */
  readonly nullable?: true;
  /** For the OpenAPI document. */
  readonly description?: string;
  /** The field is no part of the example of the request, which it would make invalid. */
  readonly inExample?: false;
}

/** Marks the members that the examples of requests leave out (see `createOpenApi`). */
export const NOT_IN_EXAMPLE = 'x-not-in-example';

interface FieldRule {
  /** Completes the message "{field} must be …". */
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
  /** The same rule as an OpenAPI schema. */
  readonly schema: ApiPropertyOptions;
}

/** Declares a field of a request class: one rule for both validation and the OpenAPI document. */
export function field(
  { expected, isValid, schema }: FieldRule,
  { optional, nullable, description, inExample }: FieldOptions = {},
): PropertyDecorator {
  const rule = ValidateBy(
    { name: 'field', validator: { validate: isValid } },
    { message: ({ property }) => `${property} must be ${expected}${nullable ? ', or null' : ''}` },
  );
  const documented = ApiProperty({
    ...schema,
    required: !optional,
    ...(nullable && { nullable }),
    ...(description !== undefined && { description }),
    ...(inExample === false && { [NOT_IN_EXAMPLE]: true }),
  } as ApiPropertyOptions);
  return applyDecorators(rule, documented, ...skipValidation(optional, nullable));
}

function skipValidation(optional?: true, nullable?: true): PropertyDecorator[] {
  if (optional && nullable) return [IsOptional()];
  if (optional) return [ValidateIf((_, value) => value !== undefined)];
  if (nullable) return [ValidateIf((_, value) => value !== null)];
  return [];
}

const isString = (value: unknown): value is string => typeof value === 'string';

const isStringOf =
  (minimum: number, maximum: number) =>
  (value: unknown): value is string =>
    isString(value) && countCharacters(value) >= minimum && countCharacters(value) <= maximum;

export const amountRule: FieldRule = {
  expected: `a whole number of minor units from 1 to ${MAX_MINOR_UNITS}`,
  isValid: isAmount,
  schema: amountSchema,
};

/** An integer of minor units, 1 to 2^53 - 1. */
export const AmountField = () => field(amountRule);

/** Codes of ISO 4217 that class-validator does not know yet. It keeps those that were withdrawn, as accounts do. */
const NEW_CURRENCIES: readonly unknown[] = ['XAD', 'XCG', 'ZWG'];

/** An upper-case ISO 4217 code. */
export const CurrencyField = (options?: FieldOptions) =>
  field(
    {
      expected: 'an upper-case ISO 4217 currency code',
      isValid: (value) =>
        NEW_CURRENCIES.includes(value) ||
        (isString(value) && /^[A-Z]{3}$/.test(value) && isISO4217CurrencyCode(value)),
      schema: currencySchema,
    },
    options,
  );

export const EmailField = (options?: FieldOptions) =>
  field(
    {
      expected: 'an email address without quotation marks, control, invisible and look-alike characters',
      isValid: (value) => isStringOf(3, 254)(value) && isEmail(value) && isUnambiguousEmail(value),
      schema: { type: 'string', format: 'email', maxLength: 254, example: 'ada@example.com' },
    },
    options,
  );

interface StringFieldOptions extends FieldOptions {
  /** At least one character can be seen. */
  readonly visible?: true;
}

/** A string whose length is counted in Unicode characters. */
export const StringField = (
  minimum: number,
  maximum: number,
  example: string,
  { visible, ...options }: StringFieldOptions = {},
) => {
  const isOfLength = isStringOf(minimum, maximum);
  const length = minimum === 0 ? `at most ${maximum}` : `${minimum} to ${maximum}`;
  return field(
    {
      expected: `a string of ${length} characters${visible ? ', at least one of them visible' : ''}`,
      isValid: (value) => isOfLength(value) && (!visible || hasVisibleCharacter(value)),
      // The pattern allows invisible characters: not every language knows the properties that name them.
      schema: {
        type: 'string',
        ...(minimum > 0 && { minLength: minimum }),
        maxLength: maximum,
        ...(visible && { pattern: '\\S' }),
        example,
      },
    },
    options,
  );
};

/** Why the caller makes a change, for the audit log. */
export const ReasonField = () =>
  StringField(1, 500, 'Chargebacks above the limit', {
    optional: true,
    visible: true,
    description: 'Why. Shown in the audit log.',
  });

/** A password or token. Its length rules are not part of the message, which must not help to guess it. */
export const SecretField = (
  description: string,
  options?: FieldOptions,
  example: string = 'correct horse battery staple',
) =>
  applyDecorators(
    field(
      {
        expected: 'a string',
        isValid: isString,
        schema: { type: 'string', format: 'password', description, example },
      },
      options,
    ),
    (_: object, name: string | symbol) => void secretNames.add(String(name)),
  );

const secretNames = new Set<string>();

/** A copy of a request body without the members that any request declares as `SecretField`. */
export function withoutSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !secretNames.has(name)));
}

/** An external reference of at most 255 characters, or null. */
export const ReferenceField = () => StringField(0, 255, 'invoice-2041', { optional: true, nullable: true });

export const EnumField = (values: readonly string[], options?: FieldOptions) =>
  field(
    {
      expected: `one of ${values.join(', ')}`,
      isValid: (value) => values.includes(value as string),
      schema: enumSchema(values),
    },
    options,
  );

export const booleanRule: FieldRule = {
  expected: 'true or false',
  isValid: (value) => typeof value === 'boolean',
  schema: { type: 'boolean', example: false },
};

/** Whether a creation only tells what would happen (see `AccountStore.create`). */
export const DryRunField = () =>
  field(booleanRule, {
    optional: true,
    inExample: false,
    description:
      '`true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.',
  });

/** A key that makes a creation repeatable: in the header `Idempotency-Key`, or of an item of a batch. */
export const idempotencyKeyRule = {
  expected: 'a string of 1 to 255 printable ASCII characters',
  isValid: (value: unknown): value is string => isString(value) && /^[\x20-\x7e]{1,255}$/.test(value),
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x20-\\x7e]+$',
    example: 'invoice-2041',
  },
} as const satisfies FieldRule;

/** An id in a request. Any string is valid: a malformed id is treated like an unknown one, which is a later check. */
export const IdField = (prefix: IdPrefix, options?: FieldOptions, example = exampleId(prefix)) =>
  field({ expected: 'an id', isValid: isString, schema: { ...idSchema(prefix), example } }, options);

/** The name of a version of the API. `ApiVersions` knows which there are. */
export const VersionField = (options?: FieldOptions) =>
  field({ expected: 'a version of the API', isValid: isString, schema: versionSchema }, options);

/**
 * An optional ISO 8601 date and time with a time zone. The request keeps the string; see `parseTimestamp`. There is no
 * example: a moment in the future would soon be past.
 */
export const TimestampField = (description: string) =>
  field(
    {
      expected: 'an ISO 8601 date and time with a time zone',
      isValid: (value) => parseTimestamp(value) !== null,
      schema: { type: 'string', format: 'date-time' },
    },
    { optional: true, description, inExample: false },
  );

/** The metadata of a request: an object, or null for none. */
export const MetadataField = () =>
  applyDecorators(
    ValidateBy(
      { name: 'metadata', validator: { validate: (value: unknown) => metadataFault(value) === null } },
      { message: ({ value }) => `metadata ${metadataFault(value)}` },
    ),
    IsOptional(),
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      selfRequired: false,
      nullable: true,
      maxProperties: METADATA_LIMITS.keys,
      example: { order: '2041' },
      description: `At most ${METADATA_LIMITS.keys} keys of 1 to ${METADATA_LIMITS.keyCharacters} characters, 8 KiB in all, nested at most ${METADATA_LIMITS.depth} deep.`,
    }),
  );

/** A member that must not be sent: it cannot change after creation. @param errorCode the error when it is sent */
export const Immutable = (errorCode: ErrorCode) =>
  applyDecorators(
    ValidateBy(
      { name: 'immutable', validator: { validate: (value: unknown) => value === undefined } },
      { message: ({ property }) => `${property} cannot be changed after creation`, context: { errorCode } },
    ),
    ApiHideProperty(),
  );
