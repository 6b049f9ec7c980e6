import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import chain from '../../src/modules/chain.json';
import { ROOT } from '../support/planted-tree';
import { filesIn, repositoryFiles, textOf } from '../support/source-text';

const pages = repositoryFiles().filter((file) => file.endsWith('.md'));

/** The anchors of a page's headings, as the repository's host generates them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** The relative links of a page that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    const [path, anchor] = link.split('#') as [string, string?];
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(path === '' ? text : textOf(target)).includes(anchor);
  });
}

/** The first column of the table rows between two headings, without its backticks. */
function firstColumn(text: string, from: string, to: string): string[] {
  const section = text.slice(text.indexOf(from), text.indexOf(to));
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!);
}

describe('The documentation', () => {
  it.each(pages)('has no broken link in %s', (page) => {
    expect(brokenLinks(page, textOf(page))).toEqual([]);
  });

  it('is rejected with a broken link', () => {
    const links = ['README.md', 'missing.md', '#here', '#missing', 'docs/README.md#missing'];
    const text = ['# Here', ...links.map((link) => `[text](${link})`)].join('\n');
    expect(brokenLinks('README.md', text)).toEqual(['missing.md', '#missing', 'docs/README.md#missing']);
  });

  it('has a README of at most 900 words', () => {
    expect(textOf('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  });
});

describe('docs/architecture.md', () => {
  const text = textOf('docs/architecture.md');

  it('lists the modules that exist, in the order of the chain', () => {
    expect(firstColumn(text, '## Modules', '### Layers')).toEqual(chain);
  });

  it('lists the extension points that exist', () => {
    const declared = filesIn('src/modules').flatMap((file) =>
      [...textOf(file).matchAll(/(?<!abstract )class (\w+) extends (?:ExtensionPoint|MovementHooks)\b/g)].map(
        ([, name]) => name!,
      ),
    );
    const listed = firstColumn(text, '### Extension points', '## Database transactions');
    expect(listed.toSorted()).toEqual(declared.toSorted());
  });
});

describe('docs/decisions', () => {
  const decisions = filesIn('docs/decisions').filter((file) => /\/\d\d-/.test(file));

  it('has every decision in its index, with its title', () => {
    const entries = decisions.map((file) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(textOf(file)) ?? [];
      return `- [${number}. ${title}](${posix.basename(file)})`;
    });
    const index = textOf('docs/decisions/README.md').split('\n');
    expect(index.filter((line) => /^- \[\d/.test(line)).toSorted()).toEqual(entries.toSorted());
  });

  it.each(decisions)('gives status, date and all sections in %s', (file) => {
    const text = textOf(file);
    expect(text).toMatch(/^(Accepted|Superseded), \d{4}-\d{2}-\d{2}\./m);
    for (const section of ['Context', 'Decision', 'Consequences', 'Rejected']) {
      expect(text).toContain(`**${section}.** `);
    }
  });
});

/** A page shows an excerpt without the indentation of its surroundings. */
const withoutIndentation = (code: string): string => code.replace(/^ +/gm, '');

describe('docs/extending.md', () => {
  const text = textOf('docs/extending.md');
  const section = text.slice(text.indexOf('### 1. Declare the module'), text.indexOf('## Versions'));
  const excerpts = [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!);
  const sources = repositoryFiles()
    .filter((file) => /^examples\/payouts\/.*\.ts$/.test(file))
    .map((file) => withoutIndentation(textOf(file)));

  it('quotes the example word for word', () => {
    expect(excerpts.length).toBeGreaterThan(5);
    const isQuoted = (code: string): boolean =>
      sources.some((source) => source.includes(withoutIndentation(code)));
    const outdated = excerpts.filter((code) => !isQuoted(code));
    expect(outdated).toEqual([]);
  });

  it('declares the versions of shared packages that the service declares', () => {
    const versionsIn = (file: string): Record<string, string> =>
      (JSON.parse(textOf(file)) as { dependencies: Record<string, string> }).dependencies;
    expect(versionsIn('package.json')).toMatchObject(versionsIn('examples/payouts/package.json'));
  });
});
