import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { OperationTag } from '../service-module';
import { compressBelow } from './compression';
import { createOpenApi } from './openapi-document';
import type { SharedContent } from './shared-content';
import { sendShared, sharedContent } from './shared-content';

const TRY_PAGE = 'docs/try';
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** Serves the OpenAPI 3.1 document at `/openapi.json`, and at `/docs/try` a console that sends requests. */
export function serveOpenApi(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  addViewport(app.getHttpAdapter().getInstance());
  compressBelow(app.getHttpAdapter().getInstance(), ['/openapi.json', '/docs']);
  let content: SharedContent | undefined;
  app.getHttpAdapter().get('/openapi.json', (request: FastifyRequest, reply: FastifyReply) => {
    content ??= sharedContent('application/json; charset=utf-8', JSON.stringify(createOpenApi(app, tags)));
    return sendShared(request, reply, content);
  });
  SwaggerModule.setup(TRY_PAGE, app, {} as OpenAPIObject, {
    swaggerUrl: '/openapi.json',
    raw: false,
    customSiteTitle: 'Countinghouse: try the API',
    swaggerOptions: { deepLinking: true, docExpansion: 'none' },
  });
}

/** The page of Nest has no viewport, so that a phone would show it at the width of a desktop, too small to read. */
function addViewport(server: FastifyInstance): void {
  const onSend = async (
    _request: FastifyRequest,
    _reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> =>
    typeof payload === 'string' ? payload.replace('<head>', `<head>\n  ${VIEWPORT}`) : payload;
  server.addHook('onRoute', (route: RouteOptions) => {
    if ([`/${TRY_PAGE}`, `/${TRY_PAGE}/`, `/${TRY_PAGE}/index.html`].includes(route.url))
      Object.assign(route, { onSend: [onSend, route.onSend ?? []].flat() });
  });
}
