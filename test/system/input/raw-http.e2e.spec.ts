import { connect } from 'node:net';
import { anOwner, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

describe('Malformed HTTP', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterEach(async () => {
    expect((await service.api.get('/health/ready')).status).toBe(200); // the service survives every request
  });
  afterAll(() => service.stop());

  /** Sends raw bytes, and reads until the server responds or closes the connection. */
  function send(bytes: string | Buffer): Promise<{ status: number; body: any }> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.url).port), 'localhost', () => socket.write(bytes));
      let text = '';
      const finish = (): void => {
        socket.destroy();
        const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
        resolve({ status: Number(head.split(' ')[1]), body: body === '' ? null : JSON.parse(body) });
      };
      socket.on('data', (chunk) => {
        text += chunk.toString();
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        const at = text.indexOf('\r\n\r\n');
        if (at >= 0 && length !== undefined && Buffer.byteLength(text.slice(at + 4)) >= Number(length))
          finish();
      });
      socket.on('end', finish);
      socket.on('error', (error: NodeJS.ErrnoException) => (text === '' ? reject(error) : finish()));
    });
  }

  const line = (first: string, ...headers: string[]): string =>
    [first, 'Host: localhost', ...headers, '', ''].join('\r\n');
  const errorBody = { error: expect.any(String), message: expect.any(String) };

  it.each<[string, string | Buffer]>([
    ['plain text', 'hello\r\n\r\n'],
    ['bytes', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x0d, 0x0a, 0x0d, 0x0a])],
    ['an unknown method', line('FOO /v1/users HTTP/1.1')],
    ['a method in small letters', line('get /v1/users HTTP/1.1')],
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', line('GET /v1/users HTTP/9.9')],
    ['a space in the path', line('GET /v1/us ers HTTP/1.1')],
    ['a control character in the path', line('GET /v1/us\x01ers HTTP/1.1')],
    ['no host', 'GET /v1/users HTTP/1.1\r\n\r\n'],
    ['two hosts', line('GET /health/live HTTP/1.1', 'Host: evil.example')],
    ['two hosts of the same name', line('GET /health/live HTTP/1.1', 'host: localhost')],
    ['a line that ends with a bare LF', 'GET /health/live HTTP/1.1\nHost: localhost\n\n'],
    ['a space before a colon', line('GET /health/live HTTP/1.1', 'Transfer-Encoding : chunked')],
    ['a folded header', line('GET /health/live HTTP/1.1', 'Transfer-Encoding:', ' chunked')],
    ['a header without a name', line('GET /v1/users HTTP/1.1', ': x')],
    ['a NUL in a header', line('GET /v1/users HTTP/1.1', 'X: a\0b')],
    ['a header of 100 KB', line('GET /v1/users HTTP/1.1', `X: ${'x'.repeat(100_000)}`)],
    [
      'ten thousand headers',
      line('GET /v1/users HTTP/1.1', ...Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`)),
    ],
    ['a path of 100 KB', line(`GET /v1/users/${'x'.repeat(100_000)} HTTP/1.1`)],
    [
      'a length that is no number',
      line('POST /v1/users HTTP/1.1', 'Content-Type: application/json', 'Content-Length: ten'),
    ],
    [
      'a negative length',
      line('POST /v1/users HTTP/1.1', 'Content-Type: application/json', 'Content-Length: -1'),
    ],
    ['two lengths', line('POST /v1/users HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3') + '{}'],
    [
      'a length and chunks',
      line('POST /v1/users HTTP/1.1', 'Content-Length: 2', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
    ],
    [
      'chunks that are none',
      line('POST /v1/users HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked') +
        'zz\r\n{}\r\n',
    ],
    [
      'chunks and a length',
      line('POST /v1/users HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Length: 2') + '0\r\n\r\n',
    ],
    [
      'an encoding after chunks',
      line('POST /v1/users HTTP/1.1', 'Transfer-Encoding: chunked, identity') + '0\r\n\r\n',
    ],
    ['an unknown transfer encoding', line('POST /v1/users HTTP/1.1', 'Transfer-Encoding: gzip') + 'x'],
    ['an unsupported expectation', line('GET /v1/users HTTP/1.1', 'Expect: a miracle')],
    ['a tunnel', line('CONNECT example.com:443 HTTP/1.1')],
  ])('%s gets 400 with {error, message}', async (_, bytes) => {
    const { status, body } = await send(bytes);
    expect({ status, body }).toEqual({ status: 400, body: errorBody });
  });

  it.each<[string, string, number, string]>([
    ['TRACE', 'TRACE /v1/users HTTP/1.1', 404, 'not_found'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1', 404, 'not_found'],
    ['an absolute address', 'GET http://evil.example/v1/nothing HTTP/1.1', 404, 'not_found'],
    ['a path of 15 KB', `GET /v1/users/${'x'.repeat(15_000)} HTTP/1.1`, 401, 'unauthorized'],
    ['bad percent-encoding', 'GET /v1/users/%zz HTTP/1.1', 400, 'invalid_request'],
    ['raw bytes in the path', 'GET /v1/nothing/\xff\xfe HTTP/1.1', 400, 'invalid_request'],
  ])('%s gets the documented response', async (_, first, status, error) => {
    expect(await send(line(first))).toEqual({ status, body: { error, message: expect.any(String) } });
  });

  it.each(['websocket', 'h2c', 'TLS/1.2'])('an upgrade to %s is ignored', async (protocol) => {
    const request = line('GET /v1/users HTTP/1.1', 'Connection: Upgrade', `Upgrade: ${protocol}`);
    expect(await send(request)).toEqual({
      status: 401,
      body: { error: 'unauthorized', message: expect.any(String) },
    });
  });

  it('a body on a GET is ignored', async () => {
    const authorization = `Authorization: Bearer ${owner.token}`;
    for (const body of ['{"limit":1}', '{"broken', 'x']) {
      const reply = await send(
        line(
          'GET /v1/transactions HTTP/1.1',
          authorization,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ) + body,
      );
      expect(reply).toEqual({ status: 200, body: { object: 'list', data: [], has_more: false } });
    }
  });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a.b.c',
    'Basic YTpi',
    'bearer',
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer \xff',
    ', ,',
  ])('Authorization: %.20s is unauthorized', async (value) => {
    expect(await send(line('GET /v1/transactions HTTP/1.1', `Authorization: ${value}`))).toEqual({
      status: 401,
      body: { error: 'unauthorized', message: expect.any(String) },
    });
  });
});
