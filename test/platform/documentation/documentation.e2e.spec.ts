import { OpenAPIObject } from '@nestjs/swagger';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestService, TestService } from '../../support/service';

/** The largest response that a reader gets for a page, in bytes. */
const MAX_COMPRESSED_BYTES = 30_000;

describe('The documentation', () => {
  let service: TestService;
  /** All pages, by their paths, as a reader finds them from the first one. */
  const pages = new Map<string, string>();
  let openApi: OpenAPIObject;

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers });

  beforeAll(async () => {
    service = await startTestService();
    openApi = (await (await get('/openapi.json')).json()) as OpenAPIObject;
    const found = new Set(['/docs']); // which grows while it is walked
    for (const path of found) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      pages.set(path, await response.text());
      for (const link of linksIn(path).filter(isPage)) found.add(link);
    }
  });
  afterAll(() => service.stop());

  const isPage = (path: string): boolean =>
    path.startsWith('/docs') && !/^\/docs\/(try|images)|\.md$/.test(path);

  /** The addresses on this host that a page links to or shows, without anchors. */
  function linksIn(path: string): string[] {
    const links = [...pages.get(path)!.matchAll(/ (?:href|src)="([^"#]*)[^"]*"/g)].map(([, link]) => link!);
    return [...new Set(links.filter((link) => link.startsWith('/')))];
  }

  it('is where the address of the service leads a browser, which is unknown to programs', async () => {
    const open = (accept: string) => fetch(service.url, { redirect: 'manual', headers: { accept } });
    const page = await open('text/html,application/xhtml+xml;q=0.9');
    expect([page.status, page.headers.get('location')]).toEqual([302, 'docs']);
    const answer = await open('application/json');
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ error: 'not_found' }),
    ]);
  });

  it('has a page for each group of operations and for each guide', () => {
    expect(pages.size).toBeGreaterThan(20);
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining([
        '/docs/api/payment-requests',
        '/docs/guides/first-payment',
        '/docs/guides/client',
      ]),
    );
    expect(linksIn('/docs/guides/webhooks').join()).toContain('/docs/guides/operations');
  });

  it('has no link that leads nowhere', async () => {
    const others = new Set([...pages.keys()].flatMap(linksIn).filter((link) => !isPage(link)));
    for (const link of others) expect([link, (await get(link)).status]).toEqual([link, 200]);
    for (const [path, html] of pages) {
      for (const [, target, anchor] of html.matchAll(/ href="(\/docs(?!\/try)[^"#]*)?#([^"]+)"/g)) {
        expect([path, target, anchor, pages.get(target ?? path)!.includes(` id="${anchor}"`)]).toEqual([
          path,
          target,
          anchor,
          true,
        ]);
      }
    }
  });

  it('has every guide as Markdown, which its page names, and whose links lead somewhere', async () => {
    const guides = [...pages.keys()].filter((path) => path.startsWith('/docs/guides/'));
    const texts = new Map<string, string>();
    for (const path of guides) {
      const address = `${path}.md`;
      expect(pages.get(path)).toContain(`<link rel="alternate" type="text/markdown" href="${address}">`);
      const response = await get(address);
      const { status, headers } = response;
      expect([address, status, headers.get('content-type')]).toEqual([
        address,
        200,
        'text/markdown; charset=utf-8',
      ]);
      texts.set(address, await response.text());
    }
    for (const [address, text] of texts) {
      for (const [target, anchor] of linksInMarkdown(text)) {
        expect([address, target, target === '' || (await get(target)).status]).toEqual([
          address,
          target,
          target === '' || 200,
        ]);
        const html = pages.get((target === '' ? address : target).replace(/\.md$/, ''));
        if (anchor !== undefined) expect([address, anchor, html]).toEqual([address, anchor, withId(anchor)]);
      }
    }
    const webhooks = texts.get('/docs/guides/webhooks.md')!;
    expect(webhooks).toMatch(/^# Webhooks\n/);
    expect(webhooks).toContain('](/docs/guides/configuration.md#webhooks)');
    expect(texts.get('/docs/guides/architecture.md')).toContain('chain.json (`src/modules/chain.json`)');
  });

  const withId = (anchor: string): unknown => expect.stringContaining(` id="${anchor}"`);

  /** The links of a text on this host: the address, empty for the page itself, and the anchor. Code has none. */
  function linksInMarkdown(text: string): [target: string, anchor?: string][] {
    const links = text.replaceAll(/^```.*?^```/gms, '').matchAll(/\]\((?!https?:)([^)]+)\)/g);
    return [...links].map(([, link]) => link!.split('#') as [string, string?]);
  }

  it('has a list of the guides for language models, at /llms.txt', async () => {
    const response = await get('/llms.txt');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    const text = await response.text();
    expect(text).toMatch(/^# Countinghouse\n\n> Users, accounts, .+\n\n## Guides\n\n- \[/);
    const lines = text.split('\n').filter((line) => line !== '' && !/^(#|>)/.test(line));
    expect(lines.filter((line) => !/^- \[[^\]]+\]\(\/[^)]+\): \S/.test(line))).toEqual([]);
    const named = linksInMarkdown(text).map(([target]) => target);
    for (const path of named) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const guides = [...pages.keys()].filter((path) => path.startsWith('/docs/guides/'));
    expect(named.toSorted()).toEqual([...guides.map((path) => `${path}.md`), '/openapi.json'].toSorted());
  });

  it('lists no folder', async () => {
    for (const path of ['/docs/images', '/docs/images/', '/docs/guides', '/docs/guides/', '/docs/api/'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('shows every operation, member of a body, error code and event', () => {
    const html = [...pages.values()].join('\n');
    for (const [path, methods] of Object.entries(openApi.paths)) {
      for (const [method, { operationId }] of Object.entries(methods) as [
        string,
        { operationId: string },
      ][]) {
        expect(html).toContain(`<section class="operation" id="${operationId}"`);
        expect(html).toContain(`data-path="${method.toUpperCase()} ${path}"`);
      }
    }
    const events = Object.keys((openApi as unknown as { webhooks: object }).webhooks);
    const transaction = openApi.components!.schemas!['CreateTransactionRequest'] as { properties: object };
    const { enum: codes } = openApi.components!.schemas!['ErrorCode'] as { enum: string[] };
    for (const name of [...events, ...Object.keys(transaction.properties), ...codes]) {
      expect(html).toContain(`<code>${name}</code>`);
    }
  });

  it('has commands that a shell accepts and the service answers', async () => {
    const html = pages.get('/docs/api/accounts')!;
    const [, escaped] = /<pre>\s*<code>(curl [^<]*\/v1\/accounts [^<]*)<\/code>/.exec(html)!;
    const entities: Record<string, string> = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' };
    const command = escaped!
      .replaceAll(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => entities[name]!)
      .replace('http://localhost:3000', service.url)
      .replace(/ -H "Authorization[^"]*" \\\n/, '');
    expect(command).toContain('Idempotency-Key');
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('$(uuidgen)', 'a-key')]);
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^acc_/), status: 'active' });
  });

  it('is small, and kept by the reader', async () => {
    for (const path of pages.keys()) {
      const response = await get(path, { 'accept-encoding': 'gzip' });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(Number(response.headers.get('content-length'))).toBeLessThan(MAX_COMPRESSED_BYTES);
      const again = await get(path, { 'if-none-match': response.headers.get('etag')! });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('allows no script but its own', async () => {
    const { headers } = await get('/docs');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; img-src 'self' data:; connect-src 'self'; form-action 'none'; /,
    );
  });
});
