import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

/**
 * The file camt.053.001.08.xsd, which may not be copied into this repository: download it from iso20022.org (the archive of
 * message definitions, camt.053.001.08).
 */
const SCHEMA = process.env['CAMT053_SCHEMA'];

/** Suites that validate statements: skipped visibly without the schema. */
export function describeWithCamt053Schema(name: string, suite: () => void): void {
  if (SCHEMA) describe(name, suite);
  else describe.skip(`${name} (needs CAMT053_SCHEMA)`, suite);
}

/** Validates a message. @returns the violations of the schema */
export async function camt053Violations(xml: string): Promise<readonly string[]> {
  const { valid, errors } = await validateXML({
    xml: [{ fileName: 'statement.xml', contents: xml }],
    schema: [{ fileName: 'camt.053.001.08.xsd', contents: readFileSync(SCHEMA!, 'utf8') }],
  });
  const messages = errors.map(({ message }) => message);
  return valid || messages.length > 0 ? messages : ['not valid'];
}
