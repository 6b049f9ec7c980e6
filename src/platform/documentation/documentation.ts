import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Eta } from 'eta';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenApi } from '../http/openapi/openapi';
import { sendStatic, staticContent, type StaticContent } from '../http/static-content';
import { HtmlDocument } from '../pages/page-template';
import type { OperationTag } from '../service-module';
import { inlineHtml, readGuides, readImages, readIndex } from './guides';
import { readReference } from './reference';
import { createSearchIndex } from './search-index';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/**
 * Serves the reference of the operations at `/docs`, and the guides below it, also as Markdown, which `/llms.txt` lists.
 * Of six ready-made pages (187 to 961 KB, Redoc and Scalar among them), none was fast and accessible enough, or ran under
 * the policy of the other pages.
 */
export function serveDocumentation(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  const http = app.getHttpAdapter();
  const document = new HtmlDocument({
    style: read('documentation.css'),
    script: ['page-script.js', 'try-script.js'].map(read).join('\n'),
    directives: ["img-src 'self' data:", "connect-src 'self'", "form-action 'none'"],
  });
  // The pages are rendered at the first request, since most starts are not followed by one.
  let pages: ReadonlyMap<string, StaticContent> | undefined;
  for (const route of ['/docs', '/docs/*', '/llms.txt'])
    http.get(route, (request: FastifyRequest, reply: FastifyReply) => {
      pages ??= renderPages(createOpenApi(app, tags), document);
      const page = pages.get(request.url.split('?')[0]!);
      if (page === undefined) return reply.callNotFound();
      void reply.header('Content-Security-Policy', document.contentSecurityPolicy);
      return sendStatic(request, reply, page);
    });
  // Where operations were tried before.
  http.get('/docs/try', (_request: FastifyRequest, reply: FastifyReply) => reply.redirect('/docs'));
  // People who open the address of the service; for programs it stays unknown.
  http.get('/', ({ headers }: FastifyRequest, reply: FastifyReply) =>
    headers.accept?.includes('text/html') ? reply.redirect('docs') : reply.callNotFound(),
  );
}

/** Returns the pages, and what belongs to them, by their paths. */
function renderPages(openApi: OpenAPIObject, document: HtmlDocument): ReadonlyMap<string, StaticContent> {
  const eta = new Eta({ views: __dirname, cache: true });
  const { info } = openApi;
  const groups = readReference(openApi);
  const guides = readGuides();
  const fields = (list: object, marksRequired: boolean): string =>
    eta.render('fields', { fields: list, marksRequired, inline: inlineHtml });
  const page = (path: string, title: string, content: string, markdown?: string): StaticContent => {
    const body = eta.render('layout', { path, content, groups, guides });
    return staticContent('text/html; charset=utf-8', document.render('en', title, body, markdown));
  };
  const pages = new Map([
    ['/docs', page('/docs', 'Countinghouse API', eta.render('overview', { groups, guides, ...info }))],
    ['/llms.txt', staticContent('text/plain; charset=utf-8', renderLlmsTxt(info))],
  ]);
  for (const group of groups) {
    const path = `/docs/api/${group.slug}`;
    const content = eta.render('group', { group, fields, inline: inlineHtml });
    pages.set(path, page(path, `${group.name} · Countinghouse API`, content));
  }
  for (const { slug, title, html, markdown } of guides) {
    const path = `/docs/guides/${slug}`;
    const content = `<article>${html}</article>`;
    pages.set(path, page(path, `${title} · Countinghouse API`, content, `${path}.md`));
    pages.set(`${path}.md`, staticContent('text/markdown; charset=utf-8', markdown));
  }
  for (const [file, bytes] of readImages())
    pages.set(`/docs/images/${file}`, staticContent('image/png', bytes));
  const index = JSON.stringify(createSearchIndex(guides, groups));
  return pages.set('/docs/search.json', staticContent('application/json; charset=utf-8', index));
}

const REFERENCE = '- [OpenAPI document](/openapi.json): all operations, schemas, errors and webhooks';

/** Returns the overview of the documentation for language models, in the format of llmstxt.org. */
function renderLlmsTxt({ title, description = '' }: OpenAPIObject['info']): string {
  const index = readIndex();
  // Documents without a link are not served.
  const sections = index.slice(index.indexOf('## ')).replaceAll(/^- (?!\[).*\n?/gm, '');
  return [`# ${title}`, `> ${description}`, sections.trim(), `## Reference\n\n${REFERENCE}\n`]
    .filter((part) => part !== '')
    .join('\n\n');
}
