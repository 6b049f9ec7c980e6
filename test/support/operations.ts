interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly format?: string;
  readonly enum?: unknown[];
  readonly example?: unknown;
  readonly examples?: unknown[];
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly allOf?: Schema[];
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security?: Record<string, unknown>[];
  readonly parameters?: { name: string; in: string; $ref?: string }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
}

/** One operation of the published OpenAPI document, with what a request to it needs. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As documented, for example `/v1/users/{user_id}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  /** Whether no answer comes without a token. */
  readonly protected: boolean;
  /** The members of its body; null when it takes none. */
  readonly body: {
    readonly required: readonly string[];
    readonly members: Readonly<Record<string, Schema>>;
  } | null;
  /** A body of its examples; what must be unique is not. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/** Every operation of the document of the service at `url`. An operation that is added is tried without being named. */
export async function documentedOperations(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, DocumentedOperation>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema): Schema =>
    schema.$ref
      ? resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]!)
      : schema.allOf?.[0]
        ? resolve(schema.allOf[0])
        : schema;
  const sampleOf = (given: Schema): unknown => {
    const schema = resolve(given);
    if (schema.example !== undefined) return schema.example;
    if (schema.examples?.length) return schema.examples[0];
    if (schema.enum) return schema.enum[0];
    if (!schema.properties) return 'text';
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, sampleOf(member)]),
    );
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const given = operation.requestBody?.content['application/json']?.schema;
      const schema = given && resolve(given);
      const named = (where: string): string[] =>
        (operation.parameters ?? []).filter((one) => one.in === where).map(({ name }) => name);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
        queryParameters: named('query'),
        protected: operation.security?.length === 1 && 'bearer' in operation.security[0]!,
        body: schema
          ? {
              required: schema.required ?? [],
              members: Object.fromEntries(
                Object.entries(schema.properties ?? {}).map(([name, member]) => [name, resolve(member)]),
              ),
            }
          : null,
        sample: given ? (sampleOf(given) as Record<string, unknown>) : {},
      };
    }),
  );
}

/** The path of a request, with every parameter replaced. */
export function pathOf({ path }: Operation, parameter: string): string {
  return path.replace(/\{\w+\}/g, parameter);
}
