import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../kernel/domain-error';
import { ApiScopes } from '../../config/api-scopes';
import { EventTypes } from '../../events/event-types';
import type { OperationTag } from '../../service-module';
import { ApiVersions, VERSION_HEADER } from '../../versions/api-versions';
import { ERRORS } from '../operation';
import { NOT_IN_EXAMPLE } from '../request-fields';
import { ENUM_NAME, versionSchema } from '../response-fields';
import { sendStatic, staticContent, type StaticContent } from '../static-content';
import {
  errorResponses,
  errorSchemas,
  header,
  interfaceErrorCodes,
  responseHeaders,
  schemaName,
} from './openapi-errors';
import { exampleOf, resolve, type Schema, type Schemas } from './openapi-examples';
import { describeEvents, describeWebhooks } from './openapi-webhooks';

type DocumentedOperation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Operation = DocumentedOperation & { [ERRORS]: readonly ErrorCode[] };
type Components = NonNullable<OpenAPIObject['components']>;
type Node = Record<string, unknown>;

/** Creates the OpenAPI document of an application from the declarations of its controllers. */
export function createOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): OpenAPIObject {
  const types = app.get(EventTypes).all;
  const versions = app.get(ApiVersions);
  const extraModels = types.map(({ response }) => response);
  // A copy, since parts belong to the declarations, from which another service of this process has its document.
  const document = structuredClone(
    SwaggerModule.createDocument(app, about(tags, versions.newest.name), { extraModels }),
  );
  const operations = Object.values(document.paths).flatMap(
    (path) => Object.entries(path) as [string, Operation][],
  );
  const components = (document.components ??= {});
  const schemas = (components.schemas ??= {});
  for (const [, operation] of operations) closeRequest(operation, schemas);
  for (const [, operation] of operations) addExample(operation, schemas);
  addErrors(components, schemas, operations);
  addVersion(components, operations, versions);
  nameEnums(document, schemas, app.get(ApiScopes).names);
  describeEvents(types, schemas);
  return { ...document, webhooks: describeWebhooks(types, schemas) } as OpenAPIObject;
}

function about(tags: readonly OperationTag[], version: string): Omit<OpenAPIObject, 'paths'> {
  const bearer = { type: 'http', scheme: 'bearer' } as const;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countinghouse',
      description:
        'Users, accounts, transactions, payment requests and subscriptions. Amounts are integers in minor units; timestamps are ISO 8601 in UTC. The version of this document is the newest version of the API.',
      version,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    tags: tags.map(({ name, description }) => ({ name, description })),
    servers: [
      { url: '/', description: 'The service that sent this document.' },
      { url: 'http://localhost:3000', description: 'A service on this machine, started with `npm start`.' },
    ],
    components: {
      securitySchemes: {
        bearer: { ...bearer, bearerFormat: 'JWT', description: 'The access token of a login.' },
        apiKey: { ...bearer, bearerFormat: 'ch_...', description: 'An API key.' },
      },
    },
  };
}

/** Request bodies with unknown members are rejected, so their schemas allow no additional properties. */
function closeRequest({ requestBody }: Operation, schemas: Schemas): void {
  const close = (schema: Schema): void => {
    const resolved = resolve(schema, schemas);
    if (resolved.properties === undefined) return;
    resolved.additionalProperties = false;
    Object.values(resolved.properties).forEach(close);
  };
  if (!requestBody || !('content' in requestBody)) return;
  const schema = requestBody.content['application/json']?.schema;
  if (schema !== undefined) close(schema);
}

/** Adds an example of the body that is a valid request as a whole, which those of its members need not be together. */
function addExample({ requestBody }: Operation, schemas: Schemas): void {
  if (!requestBody || !('content' in requestBody)) return;
  const content = requestBody.content['application/json'];
  if (content?.schema === undefined) return;
  content.example = exampleOf(content.schema, schemas, (member) => !(NOT_IN_EXAMPLE in member));
}

/** Adds the error responses of all operations, which share the equal ones, and the headers of all responses. */
function addErrors(
  components: Components,
  schemas: Schemas,
  operations: readonly (readonly [method: string, Operation])[],
): void {
  const codes = new Set<string>(interfaceErrorCodes);
  const responses: NonNullable<Components['responses']> = {};
  for (const [method, operation] of operations) {
    const errors = operation[ERRORS] ?? [];
    for (const success of Object.values(operation.responses) as { headers?: object }[]) {
      success.headers = { [VERSION_HEADER]: header('Version'), ...success.headers };
      addRequestId(success);
    }
    for (const { status, name, response } of errorResponses(errors, method !== 'get')) {
      addRequestId(response);
      responses[name] = response;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
    errors.map(schemaName).forEach((code) => codes.add(code));
    Reflect.deleteProperty(operation, ERRORS);
  }
  Object.assign(components, { responses, headers: responseHeaders });
  Object.assign(schemas, errorSchemas(codes));
}

/** Every operation takes the version that a request is responded to in. */
function addVersion(
  components: Components,
  operations: readonly (readonly [method: string, Operation])[],
  versions: ApiVersions,
): void {
  const version = {
    name: VERSION_HEADER,
    in: 'header',
    required: false,
    description:
      'Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one.',
    schema: { ...versionSchema, enum: versions.all.map(({ name }) => name), example: versions.newest.name },
  } as const;
  components.parameters = { Version: version };
  for (const [, operation] of operations)
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Version' }];
}

function addRequestId(response: { headers?: object }): void {
  response.headers = { 'X-Request-Id': header('RequestId'), ...response.headers };
}

/**
 * Moves the enums that have a name to their own schemas, and removes the marks that are not for the reader.
 * @param scopes the values of the enum that has none in its declaration
 */
function nameEnums(node: unknown, schemas: Schemas, scopes: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return;
  const marked = node as Node;
  Reflect.deleteProperty(marked, NOT_IN_EXAMPLE);
  const { [ENUM_NAME]: name } = marked;
  if (typeof name === 'string') {
    Reflect.deleteProperty(marked, ENUM_NAME);
    const schema = (marked['schema'] ?? marked) as Node; // a parameter has the mark beside its schema
    const { type, enum: values = scopes } = schema;
    schemas[name] = { type, enum: values, example: (values as unknown[])[0] } as Schema;
    for (const key of ['type', 'enum', 'example']) Reflect.deleteProperty(schema, key);
    schema['$ref'] = `#/components/schemas/${name}`;
  }
  for (const value of Object.values(marked)) nameEnums(value, schemas, scopes);
}

/** Serves the OpenAPI 3.1 document at `/openapi.json`. */
export function serveOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  let content: StaticContent | undefined;
  app.getHttpAdapter().get('/openapi.json', (request: FastifyRequest, reply: FastifyReply) => {
    content ??= staticContent('application/json; charset=utf-8', JSON.stringify(createOpenApi(app, tags)));
    return sendStatic(request, reply, content);
  });
}
