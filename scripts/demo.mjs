// Shows client/examples/tour.ts, a tour of the API with the typed client. It prints each request with its response, and
// fails if a response is not as documented. It uses the service at COUNTINGHOUSE_URL (default http://localhost:3000). If
// no service responds there, it starts one on a free port with a temporary database, and stops it afterwards. The back
// office part needs ADMIN_EMAIL and ADMIN_PASSWORD of an admin of that service.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { Narrator } from './demo/narrator.mjs';
import { respondsAt, startOwn } from './demo/service.mjs';

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** Compiles and loads a TypeScript module with all that it imports. */
async function load(file) {
  const bundle = await rolldown({
    input: pathOf(file),
    platform: 'node',
    resolve: { alias: { 'countinghouse-client': pathOf('client/src/index.ts') } },
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** @throws Error when a response is not as documented */
async function show(baseUrl, admin) {
  const [{ tour }, { Contract }] = await Promise.all(
    ['client/examples/tour.ts', 'test/support/contract.ts'].map(load),
  );
  const narrator = new Narrator(baseUrl, admin, await Contract.of(baseUrl));
  try {
    await tour(narrator);
  } catch (error) {
    narrator.verify(); // the cause, if a response was not as documented
    throw new Error(`${narrator.lastCall}: ${error.message}`, { cause: error });
  }
  narrator.verify();
  process.stdout.write('\nAll responses were as documented.\n');
}

async function main() {
  const { href } = new URL(process.env.COUNTINGHOUSE_URL || 'http://localhost:3000');
  const baseUrl = href.replace(/\/+$/, '');
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env;
  if (await respondsAt(baseUrl)) {
    process.stdout.write(`Using the service at ${baseUrl}.\n`);
    return show(baseUrl, email && password ? { email, password } : null);
  }
  process.stdout.write(`No service at ${baseUrl}: starting one for this demo.\n`);
  const own = await startOwn();
  try {
    await show(own.baseUrl, own.admin);
  } finally {
    await own.stop();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\nThe demo failed. ${error.message}\n`);
  process.exitCode = 1;
}
