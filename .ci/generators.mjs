// Checks that generators of clients understand the OpenAPI document: node .ci/generators.mjs <document>
// `@hey-api/openapi-ts` generates a TypeScript client and quicktype Python classes; both must compile. The types of
// client/ come from openapi-typescript. Without Python, its part is skipped with a message.
import { createClient } from '@hey-api/openapi-ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

const input = resolve(process.argv[2]);
const output = resolve('artifacts/generated');
rmSync(output, { recursive: true, force: true });
mkdirSync(`${output}/python`, { recursive: true });

await createClient({
  input,
  output: `${output}/typescript`,
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'error' },
});
const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext' };
const compilerOptions = {
  ...options,
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
};
writeFileSync(`${output}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['typescript'] }));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', output], { stdio: 'inherit' });
console.log('@hey-api/openapi-ts: the TypeScript client compiles.');

const { components } = JSON.parse(readFileSync(input, 'utf8'));
const schemas = new JSONSchemaInput(undefined);
const definitions = JSON.parse(
  JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
);
const names = Object.keys(definitions).filter((name) => definitions[name].type === 'object');
for (const name of names) {
  await schemas.addSource({ name, schema: JSON.stringify({ $ref: `#/$defs/${name}`, $defs: definitions }) });
}
const inputData = new InputData();
inputData.addInput(schemas);
const { lines } = await quicktype({ inputData, lang: 'python' });
const python = `${output}/python/countinghouse.py`;
writeFileSync(python, lines.join('\n'));
const compiled = spawnSync('python3', ['-m', 'py_compile', python], { stdio: 'inherit' });
if (compiled.error) console.log('quicktype: Python is not installed, so its classes are not compiled.');
else if (compiled.status !== 0) process.exitCode = 1;
else console.log(`quicktype: ${names.length} Python classes compile.`);
