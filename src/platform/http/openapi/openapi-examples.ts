import type { OpenAPIObject } from '@nestjs/swagger';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Schema = Schemas[string];
export type ObjectSchema = Exclude<Schema, { $ref: string }>;

/** Decides whether an example shows a member. */
type MemberFilter = (member: Schema, isRequired: boolean) => boolean;

/** Returns an example of the whole value, made of the examples of its members. */
export function exampleOf(schema: Schema, schemas: Schemas, shows: MemberFilter): unknown {
  const resolved = resolve(schema, schemas);
  const { properties, required = [], items, anyOf = resolved.oneOf } = resolved;
  const example: unknown = resolved.example;
  if (example === undefined && anyOf !== undefined) return exampleOf(anyOf[0]!, schemas, shows);
  if (items !== undefined && (example === undefined || '$ref' in items))
    return [exampleOf(items, schemas, shows)];
  if (properties === undefined) return example;
  const members = Object.entries(properties).filter(([name, member]) =>
    shows(member, required.includes(name)),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, schemas, shows)]));
}

/** Returns the schema to which a reference leads, perhaps one with a description beside it, or the schema itself. */
export function resolve(schema: Schema, schemas: Schemas): ObjectSchema {
  if ('$ref' in schema) return resolve(schemas[schema.$ref.split('/').at(-1)!]!, schemas);
  const [only, ...others] = schema.allOf ?? [];
  return only !== undefined && others.length === 0 ? resolve(only, schemas) : schema;
}
