import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { hasChromium, openChromium } from '../support/chromium';
import { anOwner, Owner, PASSWORD } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { untilFound } from '../support/until';

const MAX_GZIPPED_BYTES = 15 * 1024;
const run = promisify(execFile);
const client = resolve('client');

describe('The package of the client', () => {
  let folder: string;
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countinghouse-client-'));
    await run(process.execPath, [resolve('scripts/client/build.mjs')]);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(client, join(folder, 'node_modules/countinghouse-client'));
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({
    ...process.env,
    COUNTINGHOUSE_URL: service.url,
    EMAIL: owner.email,
    PASSWORD,
  });

  /** Writes an example as JavaScript beside a `node_modules` with the package. @returns its file */
  async function compiled(name: string): Promise<string> {
    const file = join(folder, `${name}.mjs`);
    const bundle = await rolldown({
      input: join(client, 'examples', `${name}.ts`),
      external: ['countinghouse-client', /^node:/],
    });
    await bundle.write({ file, format: 'esm' });
    await bundle.close();
    return file;
  }

  it('is small, with all that it needs', async () => {
    const bundle = await rolldown({ input: join(client, 'src/index.ts'), platform: 'browser' });
    const { output } = await bundle.generate({ minify: true });
    await bundle.close();
    const [{ code, imports }] = output;
    expect(imports).toEqual([]);
    const bytes = gzipSync(code).length;
    console.info(`The client has ${bytes} bytes, gzipped.`);
    expect(bytes).toBeLessThan(MAX_GZIPPED_BYTES);
  });

  it.each([
    ['require', 'common.cjs', "const { Countinghouse } = require('countinghouse-client');"],
    ['import', 'module.mjs', "import { Countinghouse } from 'countinghouse-client';"],
  ])('is usable by %s', async (_, name, load) => {
    const file = join(folder, name);
    const call = `new Countinghouse({ baseUrl: '${service.url}' }).get('/health/live').then(console.log);`;
    writeFileSync(file, `${load}\n${call}\n`);
    expect((await run(process.execPath, [file])).stdout).toBe("{ status: 'ok' }\n");
  });

  (hasChromium ? it : it.skip)('is usable in a browser', async () => {
    const bundle = await rolldown({ input: join(client, 'src/index.ts'), platform: 'browser' });
    const { output } = await bundle.generate({ format: 'iife', name: 'countinghouse' });
    await bundle.close();
    const browser = await openChromium();
    try {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await page.goto(`${service.url}/health/live`);
      await page.addScriptTag({ content: output[0].code });
      const login = JSON.stringify({ email: owner.email, password: PASSWORD });
      const id = await page.evaluate(
        `new countinghouse.Countinghouse({ baseUrl: location.origin, credentials: { login: ${login} } })
           .get('/v1/account').then((account) => account.id)`,
      );
      expect(id).toBe(owner.accountId);
    } finally {
      await browser.close();
    }
  });

  it('has an example that creates and lists transactions', async () => {
    const { stdout } = await run(process.execPath, [await compiled('transactions')], { env: environment() });
    expect(stdout).toMatch(/^The credits are 1500 minor units of USD\.\nRefused: .*1501/);
  });

  it('has an example of a whole integration with an API key', async () => {
    const { body } = await owner.api.post('/v1/api-keys', { name: 'Integration' });
    const env = { ...environment(), API_KEY: body.key as string };
    const { stdout } = await run(process.execPath, [await compiled('integrator')], { env });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^\d+ transactions have succeeded\.$/),
      'Received and verified webhook_endpoint.ping.',
      'The endpoint works.',
      '',
    ]);
    const created = await owner.api.get('/v1/transactions?reference=2042');
    expect(created.body.data).toHaveLength(1);
  });

  it('has an example that waits for a payment', async () => {
    const file = await compiled('first-payment');
    const example = run(process.execPath, [file], { env: environment() });
    const id = await untilFound(async () => (await owner.api.get('/v1/payments')).body.data[0]?.id as string);
    await owner.api.delete(`/v1/payments/${id}`);
    expect((await example).stdout).toMatch(
      /^The customer pays at http.*\nThe payment request is canceled\.\n$/,
    );
  });

  it('has an example that receives webhooks', async () => {
    const env = { ...environment(), PORT: '0', WEBHOOK_SECRET: `whsec_${btoa('secret')}` };
    const receiver = spawn(process.execPath, [await compiled('webhook-receiver')], { env });
    try {
      let printed = '';
      receiver.stdout.on('data', (text: Buffer) => (printed += text.toString()));
      const port = await untilFound(() => /port (\d+)/.exec(printed)?.[1]);
      const send = async (payload: string): Promise<number> => {
        const at = String(Math.floor(Date.now() / 1000));
        const signature = createHmac('sha256', 'secret')
          .update(`evt_1.${at}.{"type":"ping"}`)
          .digest('base64');
        const headers = {
          'webhook-id': 'evt_1',
          'webhook-timestamp': at,
          'webhook-signature': `v1,${signature}`,
        };
        return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: payload })).status;
      };
      expect([await send('{"type":"ping"}'), await send('{"type":"pong"}')]).toEqual([204, 400]);
      expect(printed).toContain('Received ping');
    } finally {
      receiver.kill();
    }
  });
});
