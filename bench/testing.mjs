// Measures how long `startCountinghouse()` takes: `npm run bench:testing`. Each round is three processes, one after
// another, as test files are; each starts the service twice. The first process also starts the PostgreSQL that they share.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, file: { type: 'boolean', default: false } },
});
/** Then the shared PostgreSQL has stopped. */
const UNUSED_MS = 20_000;

/** The part of one test file. */
async function startTwice() {
  const { startCountinghouse } = createRequire(import.meta.url)('../dist/src/testing/index.js');
  const seconds = [];
  for (let start = 1; start <= 2; start += 1) {
    const startedAt = performance.now();
    const service = await startCountinghouse();
    seconds.push((performance.now() - startedAt) / 1000);
    await service.stop();
  }
  console.log(JSON.stringify(seconds));
}

function runFile() {
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--file'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).map((seconds) => seconds.toFixed(2));
}

if (values.file) {
  await startTwice();
} else {
  console.log(
    '| round | first start s | second s | second file, first start s | second s | third file | second s |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    if (round > 1) await pause(UNUSED_MS);
    console.log(`| ${[round, ...runFile(), ...runFile(), ...runFile()].join(' | ')} |`);
  }
}
