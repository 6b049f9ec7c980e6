import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { OperationTag } from '../service-module';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** Serves the OpenAPI 3.1 document at `/openapi.json` and its browsable form at `/docs`. */
export function serveOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  serveDocument(app, () => createOpenApi(app, tags));
  SwaggerModule.setup('docs', app, {} as OpenAPIObject, { swaggerUrl: '/openapi.json', raw: false });
}

/** Serves the document from one buffer that all responses share, since it is large and everybody may request it. */
function serveDocument(app: NestFastifyApplication, create: () => OpenAPIObject): void {
  let document: { readonly json: Buffer; readonly etag: string } | undefined;
  app.getHttpAdapter().get('/openapi.json', (request: FastifyRequest, reply: FastifyReply) => {
    document ??= withEtag(Buffer.from(JSON.stringify(create())));
    void reply.headers({ 'Cache-Control': 'no-cache', ETag: document.etag });
    if (request.headers['if-none-match'] === document.etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(document.json);
  });
}

function withEtag(json: Buffer): { readonly json: Buffer; readonly etag: string } {
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
}

function createOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): OpenAPIObject {
  const builder = new DocumentBuilder();
  for (const { name, description } of tags) builder.addTag(name, description);
  const about = builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Countinghouse')
    .setDescription(
      'Users, accounts, transactions, payment requests and subscriptions. Amounts are integers in minor units; timestamps are ISO 8601 in UTC.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a login.' },
      'bearer',
    )
    .build();
  return closeRequests(SwaggerModule.createDocument(app, about));
}

/** Request bodies with unknown members are rejected, so their schemas allow no additional properties. */
function closeRequests(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const close = (schema: Schema | undefined): void => {
    if (schema === undefined) return;
    if ('$ref' in schema) return close(schemas[schema.$ref.split('/').at(-1)!]);
    if (schema.properties === undefined) return;
    schema.additionalProperties = false;
    Object.values(schema.properties).forEach(close);
  };
  for (const path of Object.values(document.paths)) {
    for (const { requestBody } of Object.values(path) as Operation[]) {
      if (requestBody && 'content' in requestBody) close(requestBody.content['application/json']?.schema);
    }
  }
  return document;
}
