import { marked, type Token, type Tokens } from 'marked';
import { type Guide, slugifyHeading } from './guides';
import type { ReferenceGroup } from './reference';

/** A part of a page, which a search finds by its text. */
interface SearchEntry {
  readonly title: string;
  readonly href: string;
  readonly text: string;
}

/** Returns what the search of the documentation finds: the operations, and the guides from heading to heading. */
export function createSearchIndex(
  guides: readonly Guide[],
  groups: readonly ReferenceGroup[],
): SearchEntry[] {
  const operations = groups.flatMap(({ slug, operations: ofGroup }) =>
    ofGroup.map(({ id, summary, description }) => ({
      title: summary,
      href: `/docs/api/${slug}#${id}`,
      text: description,
    })),
  );
  return [...operations, ...guides.flatMap(listSections)];
}

function listSections({ slug, title, markdown }: Guide): SearchEntry[] {
  const sections: { title: string; href: string; text: string }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (isHeading(token)) {
      const isPage = token.depth === 1;
      const anchor = isPage ? '' : `#${slugifyHeading(token.text)}`;
      sections.push({
        title: isPage ? title : `${title}: ${plainText(token.text)}`,
        href: `/docs/guides/${slug}${anchor}`,
        text: '',
      });
    } else if (sections.length > 0) sections.at(-1)!.text += plainText(token.raw);
  }
  return sections;
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

/** Leaves out addresses and marks of Markdown. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/[`*|[\]#>]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ');
}
