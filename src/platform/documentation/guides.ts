import { Marked, type Token, type Tokens } from 'marked';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

/** A page of `docs`, or the README of the client. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
  /** The source, with links to other guides as Markdown. */
  readonly markdown: string;
}

/** The guides with which a reader starts. The others follow by name. */
const FIRST = [
  'first-payment',
  'api-keys',
  'idempotency',
  'webhooks',
  'pagination',
  'errors',
  'test-mode',
  'client',
];

/** `docs/` is beside `src/` in the repository, and beside `dist/` in the package. Without it, there are no guides. */
const root = ['../../..', '../../../..']
  .map((path) => join(__dirname, path))
  .find((folder) => existsSync(join(folder, 'docs/guides')));

/** The paths of the guides in the repository, by their slugs, in the order of the menu. */
function sources(): ReadonlyMap<string, string> {
  if (root === undefined) return new Map();
  const guides = ['docs/guides', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md') && file !== 'README.md')
      .map((file) => [basename(file, '.md'), `${folder}/${file}`] as const),
  );
  const all = new Map<string, string>([...guides, ['client', 'client/README.md']]);
  const place = (slug: string): number => (FIRST.indexOf(slug) + FIRST.length + 1) % (FIRST.length + 1);
  return new Map(
    [...all].toSorted(([one], [other]) => place(one) - place(other) || one.localeCompare(other)),
  );
}

export function guideSlugs(): readonly string[] {
  return [...sources().keys()];
}

export function readGuides(): readonly Guide[] {
  const paths = sources();
  const htmlAddresses = listAddresses(paths, '');
  const markdownAddresses = listAddresses(paths, '.md');
  return [...paths].map(([slug, path]) => {
    const text = readFileSync(join(root!, path), 'utf8');
    const title = /^# (.+)$/m.exec(text)![1]!;
    const markdown = relocateText(text, path, markdownAddresses);
    return { slug, title, html: render(text, path, htmlAddresses), markdown };
  });
}

/** Reads the list of the documents, in sections and with a line about each, with links to the guides as Markdown. */
export function readIndex(): string {
  if (root === undefined) return '';
  const path = 'docs/README.md';
  return relocateText(readFileSync(join(root, path), 'utf8'), path, listAddresses(sources(), '.md'));
}

/** Returns the addresses of the guides, by their paths in the repository. */
function listAddresses(paths: ReadonlyMap<string, string>, suffix: string): ReadonlyMap<string, string> {
  return new Map([...paths].map(([slug, path]) => [path, `/docs/guides/${slug}${suffix}`]));
}

export function readImage(file: string): Buffer {
  return readFileSync(join(root!, 'docs/images', file));
}

export function imageFiles(): readonly string[] {
  if (root === undefined) return [];
  return readdirSync(join(root, 'docs/images')).filter((file) => file.endsWith('.png'));
}

function render(text: string, path: string, addresses: ReadonlyMap<string, string>): string {
  const marked = new Marked({
    walkTokens: (token: Token) => {
      if (token.type !== 'link' && token.type !== 'image') return;
      const link = token as Tokens.Link;
      link.href = relocate(link.href, path, addresses);
    },
    renderer: {
      heading({ tokens, depth, text: heading }) {
        return `<h${depth} id="${slugifyHeading(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // A document that is only in the repository has no address here.
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        if (href.startsWith(REPOSITORY)) return `${content} (<code>${href.slice(REPOSITORY.length)}</code>)`;
        return `<a href="${href}">${content}</a>`;
      },
      // Our own files have no HTML, so nothing is lost.
      html: () => '',
    },
  });
  return marked.parse(text, { async: false });
}

/** Code, which stays as it is, or a link. */
const CODE_OR_LINK = /^```.*?^```|`[^`\n]+`|\[([^\]]*)\]\(([^)\s]+)\)/gms;

/** Changes the links in Markdown, as `render` does for HTML. */
function relocateText(text: string, path: string, addresses: ReadonlyMap<string, string>): string {
  return text.replaceAll(CODE_OR_LINK, (whole, content?: string, link?: string) => {
    if (content === undefined || link === undefined) return whole;
    const href = relocate(link, path, addresses);
    if (href.startsWith(REPOSITORY)) return `${content} (\`${href.slice(REPOSITORY.length)}\`)`;
    return `[${content}](${href})`;
  });
}

/** Begins the address of a document that is only in the repository. */
const REPOSITORY = 'repository:';

/** Changes a link between files of the repository to one between pages. */
function relocate(href: string, path: string, addresses: ReadonlyMap<string, string>): string {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file, anchor] = href.split('#') as [string, string?];
  const target = posix.join(posix.dirname(path), file);
  const address = target.startsWith('docs/images/') ? `/${target}` : addresses.get(target);
  if (address === undefined) return `${REPOSITORY}${target}`;
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** The anchor of a heading, as hosts of repositories generate it, so that links work in both places. */
export function slugifyHeading(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Renders the code, emphasis and links in a line of text. */
export function inlineHtml(text: string): string {
  return new Marked({ renderer: { html: () => '' } }).parseInline(text, { async: false });
}
