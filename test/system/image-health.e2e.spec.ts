import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Log } from '../../src/platform/telemetry/log';
import { core } from '../support/core';
import { startTestService, TestService } from '../support/service';
import { textOf } from '../support/source-text';

/** What Docker runs in a container of the image, without a shell. */
const [, command] = /^HEALTHCHECK [^]*?\bCMD (\[.*\])$/m.exec(textOf('Dockerfile'))!;
const [program, ...args] = JSON.parse(command!) as string[];

/** Runs the health check. @returns its exit code */
async function check(env: NodeJS.ProcessEnv): Promise<number> {
  expect(program).toBe('node');
  const run = promisify(execFile)(process.execPath, args, { env });
  const { code, stderr } = await run.then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(stderr).toBe('');
  return code;
}

const portOf = (url: string): string => new URL(url).port;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('The health check of the image', () => {
  it('succeeds while the service is ready, on its port', async () => {
    expect(await check({ PORT: portOf(service.url) })).toBe(0);
  });

  it('succeeds with a certificate, which is for another name', async () => {
    const tls = {
      TLS_CERT_FILE: resolve('test/modules/auth/localhost.cert.pem'),
      TLS_KEY_FILE: resolve('test/modules/auth/localhost.key.pem'),
    };
    const replica = await core.start(
      {
        ...tls,
        DATABASE_URL: service.databaseUrl,
        DATABASE_POOL_SIZE: '4',
        JWT_SECRETS: 'a test secret that is only used in tests',
        PORT: '0',
        RUN_WORKER: 'false',
      },
      { log: new Log('silent') },
    );
    try {
      expect(await check({ PORT: portOf(replica.url), TLS_CERT_FILE: tls.TLS_CERT_FILE })).toBe(0);
      expect(await check({ PORT: portOf(replica.url) })).toBe(1);
    } finally {
      await replica.stop();
    }
  });

  it('fails while the service is not ready, and when it does not listen', async () => {
    const unready = createServer((_, response) => void response.writeHead(503).end());
    await once(unready.listen(0, '127.0.0.1'), 'listening');
    const env = { PORT: String((unready.address() as AddressInfo).port) };
    expect(await check(env)).toBe(1);
    unready.close();
    await once(unready, 'close');
    expect(await check(env)).toBe(1);
  });
});
