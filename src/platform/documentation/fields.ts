import { type ObjectSchema, resolve, type Schema, type Schemas } from '../http/openapi/openapi-examples';

/** A member of a body, or a parameter. */
export interface Field {
  /** With the names of the members around it, e.g. `settings.currency` or `data[].id`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** What else holds, e.g. `at most 255 characters`. */
  readonly limits: readonly string[];
  /** The values that are possible, if only some are. */
  readonly values: readonly string[];
}

/** Bounds the fields of a schema that contains itself. */
const MAX_DEPTH = 6;

/** Returns the members of a body with all members below them. */
export function listFields(schema: Schema, schemas: Schemas, path = '', depth = 0): Field[] {
  const { properties = {}, required = [], items, anyOf, oneOf } = resolve(schema, schemas);
  const listBelow = (one: Schema, below = path): Field[] => listFields(one, schemas, below, depth + 1);
  if (depth > MAX_DEPTH) return [];
  if (oneOf) return sharedFields(oneOf.map((one) => listBelow(one)));
  if (anyOf) return anyOf.flatMap((one) => listBelow(one));
  if (items) return listBelow(items, `${path}[]`);
  return Object.entries(properties).flatMap(([name, member]) => {
    const whole = path === '' ? name : `${path}.${name}`;
    return [describeField(whole, member, schemas, required.includes(name)), ...listBelow(member, whole)];
  });
}

export function describeField(
  name: string,
  schema: Schema,
  schemas: Schemas,
  required: boolean,
  description = 'description' in schema ? schema.description : undefined,
): Field {
  const resolved = resolve(schema, schemas);
  const { enum: values = resolved.items && resolve(resolved.items, schemas).enum } = resolved;
  return {
    name,
    type: describeType(resolved, schemas),
    required,
    description: description ?? resolved.description ?? '',
    limits: describeLimits(resolved),
    values: (values ?? []).map(String),
  };
}

function describeType({ type = 'any', format, items, ...schema }: ObjectSchema, schemas: Schemas): string {
  const describeOne = (one: Schema): string => describeType(resolve(one, schemas), schemas);
  const { anyOf = schema.oneOf } = schema;
  if (anyOf) return [...new Set(anyOf.map(describeOne))].join(' or ');
  if (items) return `array of ${describeOne(items)}`;
  const types = [type].flat().join(' or ');
  return format === undefined || format === 'int64' ? types : `${types} (${format})`;
}

/** The fields that all alternatives have, each with the values of all of them. */
function sharedFields([first = [], ...others]: readonly (readonly Field[])[]): Field[] {
  return first.flatMap((field) => {
    const same = others.map((fields) => fields.find(({ name }) => name === field.name));
    if (same.includes(undefined)) return [];
    return [{ ...field, values: [...new Set([field, ...same].flatMap((one) => one?.values ?? []))] }];
  });
}

function describeLimits(schema: ObjectSchema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const preset: unknown = schema.default;
  return [
    describeRange(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    describeRange(minLength || undefined, maxLength, ' characters'),
    describeRange(minItems || undefined, maxItems, ' items'),
    preset === undefined ? '' : `${JSON.stringify(preset)} by default`,
  ].filter((text) => text !== '');
}

function describeRange(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}
