import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prepareErrorReply } from '../http/error.filter';
import { chooseLanguage, type Language } from '../i18n/messages';
import type { Log } from '../telemetry/log';

/** The pages have small forms. */
const MAX_FORM_BYTES = 1024;

interface Pages {
  /** The path under which they are. */
  readonly prefix: string;
  readonly contentSecurityPolicy: string;
  addRoutes(scope: FastifyInstance): void;
  /** Renders the page for an address that does not exist. */
  renderUnknown(language: Language): string;
  /** Renders the page for an error; the status is that of the error. */
  renderError(language: Language): string;
}

/**
 * Adds pages to the HTTP server. They respond in HTML, errors included, and accept forms, unlike the API. They are
 * therefore a scope of the server with its own parsers and error handler, not a Nest controller.
 *
 * Does nothing without an HTTP server, as in commands.
 */
export function addPages(adapters: HttpAdapterHost, log: Log, pages: Pages): void {
  const server = adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
  const headers = {
    'Content-Security-Policy': pages.contentSecurityPolicy,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cache-Control': 'no-store',
    Vary: 'Accept-Language',
  };
  const addScope = async (scope: FastifyInstance): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    scope.addHook('onSend', async (_request, reply) => void reply.headers(headers));
    scope.setErrorHandler((error, request, reply) => {
      prepareErrorReply(error, request, reply, log);
      const language = languageOf(request, null);
      return sendHtml(reply, pages.renderError(language), language);
    });
    scope.setNotFoundHandler((request, reply) => {
      const language = languageOf(request, null);
      return sendHtml(reply.code(404), pages.renderUnknown(language), language);
    });
    pages.addRoutes(scope);
  };
  void server?.register(addScope, { prefix: pages.prefix });
}

/** The language that the visitor prefers, by default that of an account, else English. */
export function languageOf({ headers }: FastifyRequest, accountLanguage: string | null): Language {
  return chooseLanguage(headers['accept-language'], accountLanguage);
}

export function sendHtml(reply: FastifyReply, html: string, language: Language): FastifyReply {
  return reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Language', language)
    .send(html);
}
