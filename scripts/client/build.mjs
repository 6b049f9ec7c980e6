// Builds the package: client/dist/esm and client/dist/cjs, each with its type declarations.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('../../client', import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
rmSync(`${folder}/dist`, { recursive: true, force: true });

// openapi-fetch is part of both bundles, since its own CommonJS form does not export what its types say. The type
// declarations refer to it, so it stays a dependency.
const bundle = await rolldown({ input: `${folder}/src/index.ts`, platform: 'neutral' });
for (const [format, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
  const dir = `${folder}/dist/${format}`;
  await bundle.write({ dir, format, entryFileNames: 'index.js' });
  execFileSync(
    process.execPath,
    [tsc, '-p', folder, '--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', dir],
    { stdio: 'inherit' },
  );
  writeFileSync(`${dir}/package.json`, `${JSON.stringify({ type })}\n`);
}
await bundle.close();
