import Ajv2020, { ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const JSON_TYPE = 'application/json';

interface Response {
  readonly content: Record<string, { schema: object; examples?: Record<string, object> }>;
}

interface Operation {
  readonly responses: Record<string, Response | { readonly $ref: string }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Response> };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Checks responses against the OpenAPI document. A response that the document does not describe fails the test. */
export class Contract {
  private readonly document: Document;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly routes: { pattern: RegExp; path: string }[];

  static async of(url: string): Promise<Contract> {
    return new Contract(JSON.parse(await documentAt(url)) as object);
  }

  constructor(document: object) {
    this.document = closed(document) as Document;
    addFormats(this.ajv);
    this.ajv.addSchema(this.document, 'openapi');
    this.routes = Object.keys(this.document.paths)
      .toSorted((a, b) => a.split('{').length - b.split('{').length) // literal segments take precedence over parameters
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  /** @throws Error for a response that the document does not describe */
  check(method: string, url: string, reply: Reply, mediaType = JSON_TYPE): void {
    const mismatch = this.mismatch(method, url, reply, mediaType);
    if (mismatch !== null) throw new Error(`${mismatch}: ${JSON.stringify(reply.body)}`);
  }

  /** What the document does not describe in a response, without the values of the response. */
  mismatch(method: string, url: string, { status, body }: Reply, mediaType = JSON_TYPE): string | null {
    const path = this.routes.find(({ pattern }) => pattern.test(url.split('?')[0]!))?.path;
    const operation = path === undefined ? undefined : this.document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return unknownMismatch(method, url, status, body);
    const response = operation.responses[status];
    const call = `${method} ${path}`;
    if (response === undefined) return `${call} returned ${status}, which is not documented`;
    if ('$ref' in response) {
      const codes = this.codesOf(response);
      const { error } = body as { error: string };
      if (!codes.includes(error))
        return `${call} ${status} has the code ${error}, but documents ${codes.join()}`;
    }
    const validate = this.validator(path!, method.toLowerCase(), status, mediaType);
    if (validate(body)) return null;
    return `${call} ${status} does not match the documentation: ${this.ajv.errorsText(validate.errors)}`;
  }

  /** What the document does not describe in the body of a webhook. */
  webhookMismatch(type: string, body: unknown): string | null {
    const validate = this.validatorAt([
      'webhooks',
      type,
      'post',
      'requestBody',
      'content',
      JSON_TYPE,
      'schema',
    ]);
    return validate(body) ? null : this.ajv.errorsText(validate.errors);
  }

  /** All errors have one schema, and the examples of a response name its codes. */
  private codesOf({ $ref }: { $ref: string }): string[] {
    const response = this.document.components.responses[$ref.split('/').at(-1)!]!;
    return Object.keys(response.content[JSON_TYPE]!.examples!);
  }

  private validator(path: string, method: string, status: number, mediaType: string): ValidateFunction {
    const response = this.document.paths[path]![method]!.responses[status]!;
    const place =
      '$ref' in response
        ? response.$ref.split('/').slice(1)
        : ['paths', path, method, 'responses', String(status)];
    return this.validatorAt([...place, 'content', mediaType, 'schema']);
  }

  private validatorAt(pointer: readonly string[]): ValidateFunction {
    const ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`;
    const known = this.validators.get(ref) ?? this.ajv.compile({ $ref: ref });
    this.validators.set(ref, known);
    return known;
  }
}

function unknownMismatch(method: string, url: string, status: number, body: unknown): string | null {
  const keys = Object.keys(body as object)
    .toSorted()
    .join();
  if ([400, 404, 429, 503].includes(status) && keys === 'error,message') return null;
  return `${method} ${url} is not documented and returned ${status}`;
}

let core: Promise<Contract> | undefined;

/**
 * Returns the contract of the service without extensions. The first service of a run creates its document, and all others
 * share it, because this takes a third of the time of a start.
 * @param url a service without extensions
 */
export function coreContract(url: string): Promise<Contract> {
  return (core ??= coreDocument(url).then((json) => new Contract(JSON.parse(json) as object)));
}

async function coreDocument(url: string): Promise<string> {
  const file = join(process.env['TEST_RUN_FOLDER']!, 'openapi.json');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const json = await documentAt(url);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, json);
  renameSync(draft, file); // another process finds the whole file or none
  return json;
}

async function documentAt(url: string): Promise<string> {
  return (await fetch(`${url}/openapi.json`)).text();
}

/** Returns the document with `additionalProperties: false` in every object, so that undocumented members are errors. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  // The validator finds the alternative by the values of the member itself, and takes no mapping.
  if ('propertyName' in copy) delete copy['mapping'];
  // An `allOf` combines schemas, each of which would reject the members of the others.
  if ('properties' in copy && !('additionalProperties' in copy)) copy['additionalProperties'] = false;
  return copy;
}
