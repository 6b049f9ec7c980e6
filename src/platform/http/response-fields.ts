import { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import { IdPrefix } from '../../kernel/ids';
import { MAX_MINOR_UNITS } from '../../kernel/money';
import { CursorPage } from '../../kernel/pages';

type FieldSchema = Omit<Extract<ApiPropertyOptions, { enum?: unknown }>, 'enum'> & {
  readonly enum?: readonly string[];
};

/**
 * A member of a response, for the OpenAPI document: a string unless it has another `type`. The example of an enum is its
 * first value by default.
 */
export const ResponseField = ({ enum: values, ...schema }: FieldSchema = {}) =>
  ApiProperty({ type: 'string', ...(values && enumSchema(values)), ...schema } as ApiPropertyOptions);

const enumNames = new WeakMap<readonly string[], string>();

/** Where a schema of the OpenAPI document keeps the name that `createOpenApi` gives it. */
export const ENUM_NAME = 'x-enum-name';

/** Names the schema of these values in the OpenAPI document. Fields that are declared afterwards refer to it. */
export function nameEnum(name: string, values: readonly string[]): void {
  enumNames.set(values, name);
}

export function enumSchema(values: readonly string[]) {
  const name = enumNames.get(values);
  return {
    type: 'string',
    enum: values.slice(),
    example: values[0],
    ...(name !== undefined && { [ENUM_NAME]: name }),
  } as const;
}

/** A scope of API keys. Its values depend on the modules of a service: `createOpenApi` adds them. */
export const apiScopeSchema = { type: 'string', [ENUM_NAME]: 'ApiScope' } as const;

/** An amount of minor units in a response. The smallest is 1 unless `schema` says otherwise. */
export const AmountResponseField = (schema: Partial<FieldSchema> = {}) =>
  ResponseField({ ...amountSchema, ...schema });

/** The schema of an amount: an integer of minor units, 1 to 2^53 - 1. */
export const amountSchema = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: MAX_MINOR_UNITS,
  example: 1250,
  description: 'Minor units.',
} as const;

/** The schema of a count or of the number of a page. */
export const countSchema = { type: 'integer', format: 'int32', minimum: 0 } as const;

export const IdResponseField = (prefix: IdPrefix, schema: Partial<FieldSchema> = {}) =>
  ResponseField({ ...idSchema(prefix), ...schema });

export const CurrencyResponseField = () => ResponseField(currencySchema);

export const currencySchema = {
  type: 'string',
  pattern: '^[A-Z]{3}$',
  example: 'USD',
  description: 'ISO 4217 code.',
} as const;

export const VersionResponseField = (description?: string) =>
  ResponseField({ ...versionSchema, description });

export const versionSchema = { type: 'string', format: 'date', example: '2026-11-26' } as const;

/** A timestamp in a response: ISO 8601 in UTC with milliseconds. */
export const Timestamp = (description?: string, schema: Partial<FieldSchema> = {}) =>
  ResponseField({ format: 'date-time', example: '2026-01-31T09:30:00.000Z', description, ...schema });

/** The schema of an id: its prefix and 26 characters of base32. */
export function idSchema(prefix: IdPrefix) {
  return {
    type: 'string',
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    example: exampleId(prefix),
  } as const;
}

/** An id for examples in the OpenAPI document. */
export function exampleId(prefix: IdPrefix): string {
  return `${prefix}_01k9x8v2t4e6rb3m5n7p9q1s0w`;
}

/** Declares the response to the cancellation of a resource. @param resource its name, for the OpenAPI document */
export function CanceledResponse(prefix: IdPrefix, resource: string) {
  class Response {
    @IdResponseField(prefix)
    id: string;

    @ResponseField({ enum: ['canceled'] })
    status: 'canceled';

    @Timestamp()
    canceled_at: string;

    @ResponseField({ example: `The ${resource} was canceled.` })
    message: string;
  }
  return Response;
}

/** Renders the response right after the cancellation, so the time of the last change is that of the cancellation. */
export function canceledResponse({ id, updatedAt }: { id: string; updatedAt: Date }, message: string) {
  return { id, status: 'canceled', canceled_at: updatedAt.toISOString(), message } as const;
}

/** Declares the response of a cursor list. @param full the items with `view=full`, where the list has `ViewParam` */
export function CursorListResponse<Item, Full = Item>(item: Type<Item>, full?: Type<Full>) {
  const models = full === undefined ? [item] : [item, full];
  const schemas = models.map((model) => ({ $ref: getSchemaPath(model) }));

  @ApiExtraModels(...models)
  class Response {
    /** The class of the items, and that of whole ones. */
    static readonly itemTypes: readonly Type[] = models;

    @ResponseField({ enum: ['list'] })
    object: 'list';

    @ResponseField({ type: 'array', items: schemas.length === 1 ? schemas[0]! : { anyOf: schemas } })
    data: (Item | Full)[];

    @ResponseField({
      type: 'boolean',
      example: true,
      description: 'Whether there are more items in the direction of the cursor.',
    })
    has_more: boolean;
  }
  return Response;
}

/** @param render the response for one item */
export function cursorListResponse<Item, ItemResponse>(
  { items, hasMore }: CursorPage<Item>,
  render: (item: Item) => ItemResponse,
): { object: 'list'; data: ItemResponse[]; has_more: boolean } {
  return { object: 'list', data: items.map(render), has_more: hasMore };
}

/** The response of an operation that has nothing to return. */
export class MessageResponse {
  @ResponseField({ type: 'string', example: 'The password was changed. Other sessions have ended.' })
  message: string;
}
