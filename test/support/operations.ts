import { DAY_MS } from '../../src/kernel/clock';

/** A JSON schema of the OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: unknown[];
  readonly example?: unknown;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security?: Record<string, string[]>[];
  readonly parameters?: { name: string; in: string; schema: Schema }[];
  readonly requestBody?: {
    required?: boolean;
    content: Record<string, { schema: Schema; example: Record<string, unknown> }>;
  };
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path template, e.g. `/v1/users/{user_id}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  /** The schemas of these parameters, by name. */
  readonly parameters: Readonly<Record<string, Schema>>;
  /** Whether the operation requires a token. */
  readonly protected: boolean;
  /** Whether the operation reads no token. */
  readonly public: boolean;
  /** The scopes of which an API key needs one to call the operation; none where no key may. */
  readonly keyScopes: readonly string[];
  /** The members of the body, or null without a body. */
  readonly body: {
    readonly optional: boolean;
    readonly required: readonly string[];
    readonly members: Readonly<Record<string, Schema>>;
  } | null;
  /** The documented example of the body. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The examples of all members of the body. Unique members such as emails are the same in every call. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/** Returns all documented operations of a service, so that new operations are tested automatically. */
export async function documentedOperations(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, DocumentedOperation>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref) return resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
    const { items, properties } = schema;
    return {
      ...schema,
      ...(items && { items: resolve(items) }),
      ...(properties && { properties: resolveAll(properties) }),
    };
  };
  const resolveAll = (schemas: Record<string, Schema>): Record<string, Schema> =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, resolve(schema)]));
  const sampleOf = (given: Schema): unknown => {
    const schema = resolve(given);
    if (schema.example !== undefined) return schema.example;
    if (schema.format === 'date-time') return new Date(Date.now() + DAY_MS).toISOString();
    if (!schema.properties) return 'text';
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, sampleOf(member)]),
    );
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const body = operation.requestBody?.content['application/json'];
      const schema = body && resolve(body.schema);
      // The others are headers that all operations have.
      const parameters = (operation.parameters ?? []).filter((parameter) => !('$ref' in parameter));
      const named = (where: string): string[] =>
        parameters.filter((one) => one.in === where).map(({ name }) => name);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        pathParameters: named('path'),
        queryParameters: named('query'),
        parameters: Object.fromEntries(parameters.map(({ name, schema: given }) => [name, resolve(given)])),
        protected:
          operation.security?.some((scheme) => 'bearer' in scheme) === true &&
          operation.security.every((scheme) => Object.keys(scheme).length > 0),
        public: !operation.security?.length,
        keyScopes: (operation.security ?? []).flatMap((scheme) => scheme['apiKey'] ?? []),
        body: schema
          ? {
              optional: operation.requestBody?.required === false,
              required: schema.required ?? [],
              members: schema.properties ?? {},
            }
          : null,
        example: body?.example ?? {},
        sample: body ? (sampleOf(body.schema) as Record<string, unknown>) : {},
      };
    }),
  );
}

/** Replaces every path parameter with a value. */
export function pathOf({ path }: Operation, parameter: string): string {
  return path.replace(/\{\w+\}/g, parameter);
}
