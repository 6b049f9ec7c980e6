/** The members of a JSON schema that the documentation shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

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

/** The schemas of an OpenAPI document, as fields and as examples. */
export class Schemas {
  constructor(private readonly named: Readonly<Record<string, Schema>>) {}

  /** Returns the members of a body with all members below them. */
  fields(schema: Schema, path = '', depth = 0): Field[] {
    const { properties, required = [], items, anyOf, oneOf } = this.resolved(schema);
    if (depth > MAX_DEPTH) return [];
    if (oneOf) return shared(oneOf.map((one) => this.fields(one, path, depth + 1)));
    if (anyOf) return anyOf.flatMap((one) => this.fields(one, path, depth + 1));
    if (items) return this.fields(items, `${path}[]`, depth + 1);
    return Object.entries(properties ?? {}).flatMap(([name, member]) => {
      const whole = path === '' ? name : `${path}.${name}`;
      return [this.field(whole, member, required.includes(name)), ...this.fields(member, whole, depth + 1)];
    });
  }

  field(name: string, schema: Schema, required: boolean, description?: string): Field {
    const resolved = this.resolved(schema);
    const { enum: values = this.resolved(resolved.items ?? {}).enum } = resolved;
    return {
      name,
      type: this.typeOf(resolved),
      required,
      description: description ?? schema.description ?? resolved.description ?? '',
      limits: describeLimits(resolved),
      values: (values ?? []).map(String),
    };
  }

  /** Returns an example of a whole body. */
  example(schema: Schema, depth = 0): unknown {
    const resolved = this.resolved(schema);
    const { example, default: preset, enum: values, properties, items, anyOf = resolved.oneOf } = resolved;
    if (example !== undefined) return example;
    if (preset !== undefined) return preset;
    if (values !== undefined) return values[0];
    if (depth > MAX_DEPTH) return undefined;
    if (anyOf) return this.example(anyOf[0]!, depth + 1);
    if (items) return [this.example(items, depth + 1)];
    if (properties === undefined) return withoutExample[describeTypes(resolved)[0]!];
    const members = Object.entries(properties);
    return Object.fromEntries(members.map(([name, member]) => [name, this.example(member, depth + 1)]));
  }

  private resolved(schema: Schema): Schema {
    const referred = schema.$ref === undefined ? undefined : this.named[schema.$ref.split('/').at(-1)!];
    return referred === undefined ? schema : this.resolved(referred);
  }

  private typeOf(schema: Schema): string {
    const { format, items, anyOf = schema.oneOf } = schema;
    if (anyOf) return [...new Set(anyOf.map((one) => this.typeOf(this.resolved(one))))].join(' or ');
    if (items) return `array of ${this.typeOf(this.resolved(items))}`;
    const types = describeTypes(schema).join(' or ');
    return format === undefined || format === 'int64' ? types : `${types} (${format})`;
  }
}

/** The fields that all alternatives have, each with the values of all of them. */
function shared([first = [], ...others]: readonly (readonly Field[])[]): Field[] {
  return first.flatMap((field) => {
    const same = others.map((fields) => fields.find(({ name }) => name === field.name));
    if (same.includes(undefined)) return [];
    return [{ ...field, values: [...new Set([field, ...same].flatMap((one) => one?.values ?? []))] }];
  });
}

const withoutExample: Readonly<Record<string, unknown>> = {
  string: 'string',
  integer: 1,
  number: 1,
  boolean: true,
  object: {},
  null: null,
};

function describeTypes({ type = 'any' }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

function describeLimits(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset } = schema;
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
