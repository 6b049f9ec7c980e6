// Writes the OpenAPI document of the built service to a file: node scripts/openapi.mjs <file>
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const [, , file] = process.argv;
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, execFileSync(process.execPath, [main, 'openapi']));
