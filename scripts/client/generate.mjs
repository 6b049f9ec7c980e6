// Generates what the client knows of the API from its OpenAPI document: node scripts/client/generate.mjs <document> [--check]
import openapiTS, { astToString } from 'openapi-typescript';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const HEADER = '// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.\n\n';
const [, , file, mode] = process.argv;
const document = JSON.parse(readFileSync(file, 'utf8'));

const creations = Object.entries(document.paths).flatMap(([path, { post }]) =>
  post?.parameters?.some(({ name }) => name === 'Idempotency-Key') ? [`'${path}',`] : [],
);

const generated = {
  'schema.ts': astToString(await openapiTS(document, { alphabetize: true, rootTypes: false })),
  'creations.ts': [
    '/** The paths whose `POST` accepts an `Idempotency-Key`. */',
    'export const creations: ReadonlySet<string> = new Set([',
    ...creations.map((line) => `  ${line}`),
    ']);\n',
  ].join('\n'),
  'version.ts': `/** The version of the API that the types describe. */\nexport const version = '${document.info.version}';\n`,
};

for (const [name, text] of Object.entries(generated)) {
  const path = fileURLToPath(new URL(`../../client/src/generated/${name}`, import.meta.url));
  const content = await format(HEADER + text, { ...(await resolveConfig(path)), filepath: path });
  if (mode !== '--check') writeFileSync(path, content);
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`client/src/generated/${name} is not that of the document. Run: npm run client:generate`);
    process.exitCode = 1;
  }
}
