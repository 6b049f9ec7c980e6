import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { OperationTag } from '../service-module';
import { compressBelow } from './compression';
import { createOpenApi } from './openapi-document';

/** Serves the OpenAPI 3.1 document at `/openapi.json` and its browsable form at `/docs`. */
export function serveOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  compressBelow(app.getHttpAdapter().getInstance(), ['/openapi.json', '/docs']);
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

/** The tag is weak, since it is that of all encodings. */
function withEtag(json: Buffer): { readonly json: Buffer; readonly etag: string } {
  return { json, etag: `W/"${createHash('sha256').update(json).digest('base64url')}"` };
}
