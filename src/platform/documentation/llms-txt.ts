import type { OpenAPIObject } from '@nestjs/swagger';

const REFERENCE = '- [OpenAPI document](/openapi.json): all operations, schemas, errors and webhooks';

/**
 * Returns the overview of the documentation for language models, in the format of llmstxt.org.
 * @param index the list of the documents (`readIndex`); those without a link are not served
 */
export function renderLlmsTxt({ title, description = '' }: OpenAPIObject['info'], index: string): string {
  const sections = index
    .slice(index.indexOf('## '))
    .split('\n')
    .filter((line) => !/^- (?!\[)/.test(line));
  return [`# ${title}`, `> ${description}`, sections.join('\n').trim(), `## Reference\n\n${REFERENCE}`]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}
