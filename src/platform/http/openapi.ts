import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { FastifyReply, FastifyRequest } from 'fastify';
import { OperationTag } from '../service-module';
import { compressBelow } from './compression';
import { createOpenApi } from './openapi-document';
import { sendShared, SharedContent, sharedContent } from './shared-content';

/** Serves the OpenAPI 3.1 document at `/openapi.json`, and at `/docs/try` a console that sends requests. */
export function serveOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  compressBelow(app.getHttpAdapter().getInstance(), ['/openapi.json', '/docs']);
  let content: SharedContent | undefined;
  app.getHttpAdapter().get('/openapi.json', (request: FastifyRequest, reply: FastifyReply) => {
    content ??= sharedContent('application/json; charset=utf-8', JSON.stringify(createOpenApi(app, tags)));
    return sendShared(request, reply, content);
  });
  SwaggerModule.setup('docs/try', app, {} as OpenAPIObject, {
    swaggerUrl: '/openapi.json',
    raw: false,
    customSiteTitle: 'Countinghouse: try the API',
    swaggerOptions: { deepLinking: true, docExpansion: 'none' },
  });
}
