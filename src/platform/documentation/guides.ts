import { Marked } from 'marked';
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

const read = (path: string): string => readFileSync(join(root!, path), 'utf8');

/** Lists the paths of the guides in the repository by their slugs, in the order of the menu. */
function listPaths(): ReadonlyMap<string, string> {
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

export function readGuides(): readonly Guide[] {
  const paths = listPaths();
  return [...paths].map(([slug, path]) => {
    const text = read(path);
    const title = /^# (.+)$/m.exec(text)![1]!;
    const html = marked.parse(relocate(text, path, paths, ''), { async: false });
    return { slug, title, html, markdown: relocate(text, path, paths, '.md') };
  });
}

/** Reads the list of the documents, in sections and with a line about each, with links to the guides as Markdown. */
export function readIndex(): string {
  return root === undefined ? '' : relocate(read('docs/README.md'), 'docs/README.md', listPaths(), '.md');
}

/** Returns the images of the guides by their names. */
export function readImages(): ReadonlyMap<string, Buffer> {
  if (root === undefined) return new Map();
  const folder = join(root, 'docs/images');
  const files = readdirSync(folder).filter((file) => file.endsWith('.png'));
  return new Map(files.map((file) => [file, readFileSync(join(folder, file))]));
}

// Our own files have no HTML, so nothing is lost.
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slugifyHeading(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    html: () => '',
  },
});

/** Code, which stays as it is, or a link. */
const CODE_OR_LINK = /^```.*?^```|`[^`\n]+`|\[([^\]]*)\]\(([^)\s]+)\)/gms;

/**
 * Changes the links between files of the repository to links between pages. A document that is only in the repository is
 * named instead.
 * @param suffix of the addresses of the guides
 */
function relocate(text: string, path: string, paths: ReadonlyMap<string, string>, suffix: string): string {
  const addresses = new Map([...paths].map(([slug, file]) => [file, `/docs/guides/${slug}${suffix}`]));
  return text.replaceAll(CODE_OR_LINK, (whole, content?: string, href?: string) => {
    if (content === undefined || href === undefined || /^(https?:|#|\/)/.test(href)) return whole;
    const [file, anchor] = href.split('#') as [string, string?];
    const target = posix.join(posix.dirname(path), file);
    const address = target.startsWith('docs/images/') ? `/${target}` : addresses.get(target);
    if (address === undefined) return `${content} (\`${target}\`)`;
    return `[${content}](${anchor === undefined ? address : `${address}#${anchor}`})`;
  });
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
  return marked.parseInline(text, { async: false });
}
