import { once } from 'node:events';
import { AddressInfo, connect, createServer } from 'node:net';
import { onUrl } from '../../support/citus';
import { createDatabase, dropDatabase } from '../../support/databases';
import { aUser, PASSWORD } from '../../support/people';
import { startTestService, startTestServiceOn } from '../../support/service';
import { until } from '../../support/until';

describe('A service that shuts down', () => {
  it('completes an accepted login and does not wait for the idle connection', async () => {
    const service = await startTestService({ BCRYPT_COST: '10' });
    const { email } = await aUser(service.api);
    const logins = Array.from({ length: 8 }, () =>
      service.api.post('/v1/auth/login', { email, password: PASSWORD }),
    );
    await Promise.race(logins);
    const start = performance.now();
    const stopping = service.stop();
    const replies = await Promise.all(logins);
    await stopping;
    expect(replies.map(({ status }) => status)).toEqual(logins.map(() => 200));
    expect(replies.map(({ headers }) => headers.get('connection'))).toContain('close');
    expect(performance.now() - start).toBeLessThan(20_000); // an idle connection is kept for 72 s
  });

  it('accepts connections until a load balancer has noticed that it is not ready', async () => {
    const service = await startTestService({ SHUTDOWN_DELAY_SECONDS: '3' });
    const { email } = await aUser(service.api);
    const stopping = service.stop();
    const ready = () => fetch(`${service.url}/health/ready`, { headers: { connection: 'close' } });
    expect(await until(async () => (await ready()).status === 503)).toBe(true);
    const login = await fetch(`${service.url}/v1/auth/login`, {
      method: 'POST',
      headers: { connection: 'close', 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect(login.status).toBe(200);
    await stopping;
    await expect(fetch(`${service.url}/health/live`)).rejects.toThrow();
  });

  it('does not wait for a connection on which no request comes', async () => {
    const service = await startTestService();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    const start = performance.now();
    await service.stop();
    await closed;
    expect(performance.now() - start).toBeLessThan(20_000); // a request may take 30 s to arrive
  });
});

describe('A service whose start fails', () => {
  it('closes all of its connections to the database', async () => {
    const { name, url } = await createDatabase();
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startTestServiceOn(url, { PORT: String(port) })).rejects.toThrow('EADDRINUSE');
    other.close();
    const failed = performance.now();
    const sessions = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countinghouse'`;
    expect(await until(async () => (await onUrl(url, sessions)).length === 0)).toBe(true);
    expect(performance.now() - failed).toBeLessThan(8_000); // a pool that is open closes unused ones after 10 s
    await dropDatabase(name);
  });
});
