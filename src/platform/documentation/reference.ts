import type { OpenAPIObject } from '@nestjs/swagger';
import { type Field, type Schema, Schemas } from './schemas';

interface SampleRequest {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** Whether the operation needs a token. */
  readonly authorized: boolean;
  /** Whether the operation takes an `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** An example of the body, if there is one. */
  readonly body: unknown;
}

/**
 * Returns a request as a command for a shell. Parameters of the path are variables, e.g. `$PAYMENT_ID`.
 * @param origin the address of the service
 */
function renderCurl(origin: string, { method, path, authorized, idempotent, body }: SampleRequest): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const implied = body === undefined ? 'GET' : 'POST';
  return [
    `curl -s ${method === implied ? '' : `-X ${method} `}${origin}${address}`,
    ...(authorized ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
        ]),
  ].join(' \\\n  ');
}

/** An operation as the documentation shows it. */
export interface ReferenceOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Which tokens the operation takes, as a sentence. */
  readonly access: string;
  readonly parameters: readonly Field[];
  readonly body: readonly Field[];
  readonly responses: readonly ReferenceResponse[];
  readonly errors: readonly { readonly status: string; readonly code: string; readonly message: string }[];
  readonly curl: string;
  /** The names of the parameters of the query, as in a query; null without any. */
  readonly query: string | null;
  /** An example of the body in JSON; null for an operation without one. */
  readonly example: string | null;
}

interface ReferenceResponse {
  readonly status: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** JSON, or null for a response without a body. */
  readonly example: string | null;
}

interface ReferenceEvent {
  readonly type: string;
  readonly summary: string;
  /** JSON. */
  readonly example: string;
}

/** The operations of one tag, and the events that belong to it. */
export interface ReferenceGroup {
  /** The name in an address, e.g. `payment-requests`. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ReferenceOperation[];
  readonly events: readonly ReferenceEvent[];
}

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

/** The address of the service in samples. The page replaces it by its own. */
const SAMPLE_ORIGIN = 'http://localhost:3000';

export function slugifyTag(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Reads what the documentation shows from an OpenAPI document of the service. */
export class Reference {
  readonly groups: readonly ReferenceGroup[];

  private readonly schemas: Schemas;
  private readonly sharedResponses: Readonly<Record<string, Response>>;

  constructor(document: OpenAPIObject) {
    this.schemas = new Schemas(document.components?.schemas ?? {});
    this.sharedResponses = (document.components?.responses ?? {}) as Record<string, Response>;
    const operations = listEntries(document.paths as unknown as Paths);
    const events = listEntries((document as unknown as { webhooks: Paths }).webhooks);
    const isOf =
      (tag: string) =>
      ([, , { tags }]: Entry) =>
        tags.includes(tag);
    this.groups = (document.tags ?? []).map(({ name, description = '' }) => ({
      slug: slugifyTag(name),
      name,
      description,
      operations: operations.filter(isOf(name)).map((entry) => this.operation(...entry)),
      events: events.filter(isOf(name)).map(([type, , webhook]) => describeEvent(type, webhook)),
    }));
  }

  private operation(path: string, method: string, operation: Operation): ReferenceOperation {
    const { operationId: id, summary, description = '', security = [] } = operation;
    // Those that all operations have are in the guides.
    const parameters = (operation.parameters ?? []).filter((parameter) => !('$ref' in parameter));
    const body = operation.requestBody?.content['application/json'];
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [status, this.resolved(response)] as const,
    );
    const queryNames = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const isError = ([status]: readonly [string, Response]): boolean => Number(status) >= 400;
    return {
      id,
      method: method.toUpperCase(),
      path,
      summary,
      description,
      access: describeAccess(security),
      parameters: parameters.map((parameter) => this.parameter(parameter)),
      body: body ? this.schemas.fields(body.schema) : [],
      responses: responses.filter((one) => !isError(one)).map((one) => this.response(...one)),
      errors: responses.filter(isError).flatMap(([status, response]) => describeErrors(status, response)),
      curl: renderCurl(SAMPLE_ORIGIN, {
        method: method.toUpperCase(),
        path,
        authorized: security.length > 0,
        idempotent: parameters.some(({ name }) => name === 'Idempotency-Key'),
        body: body?.example,
      }),
      query: queryNames.length === 0 ? null : queryNames.map((name) => `${name}=`).join('&'),
      example: body === undefined ? null : JSON.stringify(body.example ?? {}, null, 2),
    };
  }

  private parameter({ name, in: place, schema, required = false, description }: Parameter): Field {
    const field = this.schemas.field(name, schema, required, description);
    return { ...field, type: `${field.type} in the ${place}` };
  }

  private response(status: string, { description, content }: Response): ReferenceResponse {
    const schema = content?.['application/json']?.schema;
    return {
      status,
      description,
      fields: schema ? this.schemas.fields(schema) : [],
      example: schema ? JSON.stringify(this.schemas.example(schema), null, 2) : null,
    };
  }

  private resolved(response: Response): Response {
    return response.$ref === undefined ? response : this.sharedResponses[response.$ref.split('/').at(-1)!]!;
  }
}

type Entry = [path: string, method: string, operation: Operation];

function listEntries(paths: Paths): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => [path, method, operation]),
  );
}

function describeEvent(type: string, { summary, requestBody }: Operation): ReferenceEvent {
  const { example } = requestBody!.content['application/json']!;
  return { type, summary, example: JSON.stringify(example, null, 2) };
}

function describeErrors(status: string, { content }: Response): ReferenceOperation['errors'] {
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  return examples.map(({ value }) => ({ status, code: value.error, message: value.message }));
}

/** @param security the alternatives; an empty one stands for none */
function describeAccess(security: readonly object[]): string {
  if (security.length === 0) return 'No token.';
  const takesApiKey = security.some((scheme) => 'apiKey' in scheme);
  const tokens = takesApiKey ? 'Access token or API key' : 'Access token';
  return security.some((scheme) => Object.keys(scheme).length === 0) ? `${tokens}, or none.` : `${tokens}.`;
}
