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
import { guideSlugs, imageFiles, inlineHtml, readGuides, readImage, readIndex } from './guides';
import { Reference, slugifyTag } from './reference';
import type { Field } from './schemas';
import { createSearchIndex } from './search-index';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/**
 * Serves the reference of the operations at `/docs`, and the guides below it, also as Markdown, which `/llms.txt` lists.
 * Of six ready-made pages (187 to 961 KB, Redoc and Scalar among them), none was fast and accessible enough, or ran under
 * the policy of the other pages.
 */
export function serveDocumentation(app: NestFastifyApplication, tags: readonly OperationTag[]): void {
  const document = new HtmlDocument({
    style: read('documentation.css'),
    script: ['page-script.js', 'try-script.js'].map(read).join('\n'),
    directives: ["img-src 'self' data:", "connect-src 'self'", "form-action 'none'"],
  });
  const { contentSecurityPolicy } = document;
  let pages: ReadonlyMap<string, StaticContent> | undefined;
  // The pages are rendered at the first request, since most starts are not followed by one.
  const serve = (path: string, content: () => StaticContent): void => {
    app.getHttpAdapter().get(path, (request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('Content-Security-Policy', contentSecurityPolicy);
      return sendStatic(request, reply, content());
    });
  };
  const paths = [
    '/docs',
    ...tags.map(({ name }) => `/docs/api/${slugifyTag(name)}`),
    ...guideSlugs().flatMap((slug) => [`/docs/guides/${slug}`, `/docs/guides/${slug}.md`]),
    '/docs/search.json',
    '/llms.txt',
  ];
  // People who open the address of the service; for programs it stays unknown.
  app.getHttpAdapter().get('/', (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers.accept?.includes('text/html')) return reply.redirect('docs');
    return reply.callNotFound();
  });
  // Where operations were tried before.
  app
    .getHttpAdapter()
    .get('/docs/try', (_request: FastifyRequest, reply: FastifyReply) => reply.redirect('/docs'));
  for (const path of paths) {
    serve(path, () => (pages ??= renderPages(createOpenApi(app, tags), document)).get(path)!);
  }
  for (const file of imageFiles()) {
    serve(`/docs/images/${file}`, () => staticContent('image/png', readImage(file)));
  }
}

/** Returns the pages by their paths. */
function renderPages(openApi: OpenAPIObject, document: HtmlDocument): ReadonlyMap<string, StaticContent> {
  const eta = new Eta();
  const [layout, overview, group, fields] = ['layout', 'overview', 'group', 'fields'].map((name) =>
    eta.compile(read(`${name}.eta`)),
  ) as [Template, Template, Template, Template];
  const reference = new Reference(openApi);
  const { groups } = reference;
  const guides = readGuides();
  const renderFields = (list: readonly Field[], marksRequired: boolean): string =>
    eta.render(fields, { fields: list, marksRequired, inline: inlineHtml });
  const page = (path: string, title: string, content: string, markdown?: string): [string, StaticContent] => {
    const body = eta.render(layout, { path, content, groups, guides });
    return [path, staticContent(HTML, document.render('en', title, body, markdown))];
  };
  return new Map([
    page(
      '/docs',
      'Countinghouse API',
      eta.render(overview, {
        groups,
        guides,
        description: openApi.info.description,
        version: openApi.info.version,
      }),
    ),
    ...groups.map((one) =>
      page(
        `/docs/api/${one.slug}`,
        `${one.name} · Countinghouse API`,
        eta.render(group, { group: one, fields: renderFields, inline: inlineHtml }),
      ),
    ),
    ...guides.flatMap(({ slug, title, html, markdown }) => {
      const path = `/docs/guides/${slug}`;
      return [
        page(path, `${title} · Countinghouse API`, `<article>${html}</article>`, `${path}.md`),
        [`${path}.md`, staticContent(MARKDOWN, markdown)] as const,
      ];
    }),
    ['/docs/search.json', staticContent(JSON_TYPE, JSON.stringify(createSearchIndex(guides, reference)))],
    ['/llms.txt', staticContent(TEXT, renderLlmsTxt(openApi.info, readIndex()))],
  ]);
}

type Template = ReturnType<Eta['compile']>;

const REFERENCE = '- [OpenAPI document](/openapi.json): all operations, schemas, errors and webhooks';

/**
 * Returns the overview of the documentation for language models, in the format of llmstxt.org.
 * @param index the list of the documents (`readIndex`); those without a link are not served
 */
function renderLlmsTxt({ title, description = '' }: OpenAPIObject['info'], index: string): string {
  const sections = index
    .slice(index.indexOf('## '))
    .split('\n')
    .filter((line) => !/^- (?!\[)/.test(line));
  return [`# ${title}`, `> ${description}`, sections.join('\n').trim(), `## Reference\n\n${REFERENCE}`]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}
