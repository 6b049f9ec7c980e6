import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOf, type Schema, type Schemas } from '../http/openapi/openapi-examples';
import { describeField, type Field, listFields } from './fields';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly 'application/json'?: {
    readonly schema: Schema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: { error: string; message: string } }>>;
  };
}
interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Content;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The operations of one tag, and the events that belong to it. */
export type ReferenceGroup = ReturnType<typeof readReference>[number];

/** Reads what the documentation shows from an OpenAPI document of the service: its operations and events by their tags. */
export function readReference({ paths, tags = [], components = {}, ...rest }: OpenAPIObject) {
  const { webhooks } = rest as unknown as { webhooks: Paths };
  const { schemas = {} } = components;
  const responses = (components.responses ?? {}) as Readonly<Record<string, Response>>;
  const operations = listEntries(paths as unknown as Paths);
  const events = listEntries(webhooks);
  return tags.map(({ name, description = '' }) => {
    const isInGroup = ([, , operation]: Entry): boolean => operation.tags.includes(name);
    return {
      /** The name in an address, e.g. `payment-requests`. */
      slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      name,
      description,
      operations: operations
        .filter(isInGroup)
        .map((entry) => describeOperation(...entry, schemas, responses)),
      events: events.filter(isInGroup).map(([type, , { summary, requestBody }]) => ({
        type,
        summary,
        example: toJson(requestBody!.content['application/json']!.example),
      })),
    };
  });
}

type Entry = [path: string, method: string, operation: Operation];

function listEntries(paths: Paths): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => [path, method.toUpperCase(), operation]),
  );
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** @param shared the responses that operations refer to, by their names */
function describeOperation(
  path: string,
  method: string,
  operation: Operation,
  schemas: Schemas,
  shared: Readonly<Record<string, Response>>,
) {
  const { operationId: id, summary, description = '', security = [] } = operation;
  // Those that all operations have are in the guides.
  const parameters = (operation.parameters ?? []).filter((parameter) => !('$ref' in parameter));
  const query = parameters.filter((one) => one.in === 'query').map(({ name }) => `${name}=`);
  const body = operation.requestBody?.content['application/json'];
  const responses = Object.entries(operation.responses).map(([status, { $ref, ...response }]) => ({
    status,
    ...($ref === undefined ? response : shared[$ref.split('/').at(-1)!]!),
  }));
  return {
    id,
    method,
    path,
    summary,
    description,
    access: describeAccess(security),
    parameters: parameters.map((parameter) => describeParameter(parameter, schemas)),
    body: body ? listFields(body.schema, schemas) : [],
    responses: responses
      .filter(({ status }) => Number(status) < 400)
      .map(({ status, description: about, content }) => {
        const schema = content?.['application/json']?.schema;
        const fields = schema ? listFields(schema, schemas) : [];
        const example = schema && toJson(exampleOf(schema, schemas, () => true));
        return { status, description: about, fields, example };
      }),
    errors: responses
      .filter(({ status }) => Number(status) >= 400)
      .flatMap(({ status, content }) =>
        Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => ({
          status,
          code: value.error,
          message: value.message,
        })),
      ),
    curl: renderCurl(path, method, operation, body?.example),
    /** The names of the parameters of the query, as in a query. */
    query: query.length === 0 ? undefined : query.join('&'),
    /** An example of the body in JSON. */
    example: body && toJson(body.example ?? {}),
  };
}

function describeParameter({ name, in: place, ...parameter }: Parameter, schemas: Schemas): Field {
  const { schema, required = false, description } = parameter;
  const field = describeField(name, schema, schemas, required, description);
  return { ...field, type: `${field.type} in the ${place}` };
}

/** @param security the alternatives; an empty one stands for none */
function describeAccess(security: readonly object[]): string {
  if (security.length === 0) return 'No token.';
  const takesApiKey = security.some((scheme) => 'apiKey' in scheme);
  const tokens = takesApiKey ? 'Access token or API key' : 'Access token';
  return security.some((scheme) => Object.keys(scheme).length === 0) ? `${tokens}, or none.` : `${tokens}.`;
}

/** The address of the service in samples. The page replaces it by its own. */
const SAMPLE_ORIGIN = 'http://localhost:3000';

/** Returns a request as a command for a shell. Parameters of the path are variables, e.g. `$PAYMENT_ID`. */
function renderCurl(path: string, method: string, operation: Operation, body: unknown): string {
  const { security = [], parameters = [] } = operation;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const implied = body === undefined ? 'GET' : 'POST';
  const lines = [`curl -s ${method === implied ? '' : `-X ${method} `}${SAMPLE_ORIGIN}${address}`];
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (parameters.some(({ name }) => name === 'Idempotency-Key'))
    lines.push('-H "Idempotency-Key: $(uuidgen)"');
  if (body !== undefined)
    lines.push("-H 'Content-Type: application/json'", `-d '${toJson(body).replaceAll("'", `'\\''`)}'`);
  return lines.join(' \\\n  ');
}
