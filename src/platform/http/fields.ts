import { applyDecorators, Param } from '@nestjs/common';
import { ApiHideProperty, ApiParam, ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import {
  isEmail,
  isISO4217CurrencyCode,
  IsOptional,
  ValidateBy,
  ValidateIf,
  ValidationOptions,
} from 'class-validator';
import { IdPrefix } from '../../kernel/ids';
import { METADATA_LIMITS, metadataFault } from '../../kernel/metadata';
import { isAmount, MAX_MINOR_UNITS } from '../../kernel/money';
import { RefusalCode } from '../../kernel/refusal';
import { countCharacters } from '../../kernel/text';

/**
 * The members of bodies and answers: each decorator states the rule once, for the check and for the OpenAPI
 * document. `optional` may be absent; `nullable` may also be null.
 */
interface Presence {
  readonly optional?: true;
  readonly nullable?: true;
  /** What the documentation adds to the name. */
  readonly description?: string;
}

export function field(
  name: string,
  wanted: string,
  valid: (value: unknown) => boolean,
  api: ApiPropertyOptions,
  { optional, nullable, description }: Presence = {},
  more: ValidationOptions = {},
): PropertyDecorator {
  const rule = ValidateBy(
    { name, validator: { validate: valid } },
    { message: ({ property }) => `${property} must be ${wanted}`, ...more },
  );
  const shown = ApiProperty({
    ...api,
    required: !optional,
    ...(nullable && { nullable }),
    ...(description !== undefined && { description }),
  } as ApiPropertyOptions);
  return applyDecorators(rule, shown, ...presence({ optional, nullable }));
}

function presence({ optional, nullable }: Presence): PropertyDecorator[] {
  if (optional && nullable) return [IsOptional()];
  if (optional) return [ValidateIf((_, value) => value !== undefined)];
  if (nullable) return [ValidateIf((_, value) => value !== null)];
  return [];
}

const isText =
  (minimum: number, maximum: number) =>
  (value: unknown): value is string =>
    typeof value === 'string' && countCharacters(value) >= minimum && countCharacters(value) <= maximum;

/** An integer of minor units, 1 to 2^53 - 1. */
export const Amount = () =>
  field('amount', `a whole number of minor units from 1 to ${MAX_MINOR_UNITS}`, isAmount, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_MINOR_UNITS,
    example: 1250,
    description: 'Minor units.',
  });

/** An upper-case ISO 4217 code. */
export const Currency = (presence?: Presence) =>
  field(
    'currency',
    'an upper-case ISO 4217 currency code',
    isCurrency,
    {
      type: 'string',
      pattern: '^[A-Z]{3}$',
      example: 'USD',
      description: 'ISO 4217 code.',
    },
    presence,
  );

function isCurrency(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value) && isISO4217CurrencyCode(value);
}

export const Email = (presence?: Presence) =>
  field(
    'email',
    'an email address',
    (value) => isText(3, 254)(value) && isEmail(value),
    {
      type: 'string',
      format: 'email',
      maxLength: 254,
      example: 'ada@example.com',
    },
    presence,
  );

export const Text = (minimum: number, maximum: number, example: string, presence?: Presence) =>
  field(
    'text',
    `a string of ${minimum} to ${maximum} characters`,
    isText(minimum, maximum),
    {
      type: 'string',
      minLength: minimum,
      maxLength: maximum,
      example,
    },
    presence,
  );

/** A secret that is only read: no bounds are told to who guesses. */
export const Secret = (
  description: string,
  presence?: Presence,
  example: string = 'correct horse battery staple',
) =>
  field(
    'secret',
    'a string',
    isText(0, Number.MAX_SAFE_INTEGER),
    { type: 'string', format: 'password', description, example },
    presence,
  );

/** An external reference of at most 255 characters. */
export const Reference = () =>
  field(
    'reference',
    'a string of at most 255 characters, or null',
    isText(0, 255),
    {
      type: 'string',
      maxLength: 255,
      example: 'invoice-2041',
    },
    { optional: true, nullable: true },
  );

export const OneOf = (values: readonly string[], presence?: Presence) =>
  field(
    'oneOf',
    `one of ${values.join(', ')}`,
    (value) => values.includes(value as string),
    {
      type: 'string',
      enum: [...values],
      example: values[0],
    },
    presence,
  );

/** An id in a body. One that is malformed is no fault of the body: it names nothing, like one that is absent. */
export const Id = (prefix: IdPrefix, presence?: Presence) =>
  field(
    'id',
    'an id',
    isText(0, Number.MAX_SAFE_INTEGER),
    { type: 'string', example: exampleId(prefix) },
    presence,
  );

export function exampleId(prefix: IdPrefix): string {
  return `${prefix}_01k9x8v2t4e6rb3m5n7p9q1s0w`;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** The moment that an ISO 8601 text with a time zone stands for; null when it is none. */
export function parseMoment(value: unknown): Date | null {
  if (typeof value !== 'string' || !MOMENT.test(value) || !isDay(value.slice(0, 10))) return null;
  const moment = momentOf(value);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** Date takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** The moment that a text which passed its check stands for. Of what ISO 8601 allows, Date lacks two spellings. */
export function momentOf(text: string): Date {
  return new Date(text.replace(',', '.').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
}

/** A moment in a body: ISO 8601 with a time zone. */
export const FutureMoment = (description: string) =>
  field(
    'moment',
    'an ISO 8601 date and time with a time zone',
    (value) => parseMoment(value) !== null,
    {
      type: 'string',
      format: 'date-time',
      description,
      example: '2026-12-24T18:00:00Z',
    },
    { optional: true },
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

/** A member that may not be sent at all; `refusal` says why not. */
export const Fixed = (refusal: RefusalCode) =>
  applyDecorators(
    ValidateBy(
      { name: 'fixed', validator: { validate: (value: unknown) => value === undefined } },
      { message: ({ property }) => `${property} is fixed at creation`, context: { refusal } },
    ),
    ApiHideProperty(),
  );

/** A moment in an answer: UTC with milliseconds. */
export const Moment = (description?: string) =>
  ApiProperty({ type: 'string', format: 'date-time', example: '2026-01-31T09:30:00.000Z', description });

/** A member of an answer. The example of an enumeration is its first value, unless another is given. */
export const Shown = (api: ApiPropertyOptions & { readonly enum?: readonly string[] }) =>
  ApiProperty({ ...(api.enum && { example: api.enum[0] }), ...api });

/** The id in the path of an operation. */
export const PathId =
  (name: string, prefix: IdPrefix, description: string): ParameterDecorator =>
  (controller, method, index) => {
    const operation = Object.getOwnPropertyDescriptor(controller, method!)!;
    Param(name)(controller, method, index);
    const schema = { type: 'string', example: exampleId(prefix) } as const;
    ApiParam({ name, description, schema })(controller, method!, operation);
  };
