import { boundedFetch } from '../../src/kernel/bounded-fetch';
import { HOSTILE_HTTP, HostileServer } from '../support/hostile-server';
import { until } from '../support/until';

describe('A bounded fetch', () => {
  it.each([
    ['', 201],
    ['x'.repeat(100), 201],
  ])('returns the response as it is: %j', async (body, status) => {
    const head = `HTTP/1.1 ${status} Created\r\nContent-Length: ${body.length}\r\nX-Kept: yes\r\n\r\n`;
    const server = await HostileServer.start((socket) => socket.end(head + body));
    const response = await boundedFetch(100, `http://127.0.0.1:${server.port}`);
    expect([response.status, response.headers.get('x-kept'), await response.text()]).toEqual([
      status,
      'yes',
      body,
    ]);
    await server.stop();
  });

  it('rejects a longer body, and ends the connection', async () => {
    const server = await HostileServer.start(HOSTILE_HTTP['floods with a body']!);
    const response = await boundedFetch(100, `http://127.0.0.1:${server.port}`);
    await expect(response.text()).rejects.toThrow('The response is too large.');
    expect(await until(() => server.open === 0)).toBe(true);
    await server.stop();
  });
});
