import { connect } from 'node:net';
import { Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created, Owner, theAdmin } from '../../support/people';
import { documentedOperations, Operation, pathOf } from '../../support/operations';
import { startTestService, TestService } from '../../support/service';
import { until } from '../../support/until';

const UNKNOWN = 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w';

/** Every request of this file is rejected with 4xx and exactly {error, message}. Api checks the shape by the document. */
describe('Hostile input to every documented operation', () => {
  let service: TestService;
  let owner: Owner;
  let operations: Operation[];
  let failures: string[];

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
    operations = await documentedOperations(service.url);
  });
  beforeEach(() => {
    failures = [];
  });
  afterAll(() => service.stop());

  const outcome = ({ status, body }: Reply): string => `${status} ${body.error}`;
  /** Collects unexpected responses, so that one run reports all operations that fail. */
  const expectError = (what: string, reply: Reply, expected = '400 invalid_request'): void => {
    const shape =
      Object.keys(reply.body as object)
        .toSorted()
        .join() === 'error,message' && typeof reply.body.message === 'string';
    if (outcome(reply) !== expected || !shape)
      failures.push(`${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
  };
  const withBodies = (): Operation[] => operations.filter(({ body }) => body !== null);
  const call = (
    { method }: Operation,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Reply> => owner.api.call(method, path, body, { headers });

  it('covers the documented operations', () => {
    expect(operations.length).toBeGreaterThan(25);
    expect(withBodies().map(({ id }) => id)).toEqual(
      expect.arrayContaining(['createTransaction', 'createPaymentRequest', 'login', 'endSession']),
    );
    for (const { id, body, sample } of withBodies())
      expect([id, Object.keys(sample)]).toEqual([id, Object.keys(body!.members)]);
  });

  describe('bodies', () => {
    const KB = 1024;
    const maxBytes = (operation: Operation): number => (operation.protected ? 100 : 8) * KB;
    const bodyOf = (bytes: number): string => `{"no_such_member":"${'x'.repeat(bytes - 21)}"}`;
    const broken: Record<string, string | Buffer> = {
      truncated: '{"email":"a@example.com',
      'an open object': '{',
      'two values': '{}{}',
      'a comma too many': '{"a":1,}',
      'single quotes': "{'a':1}",
      'a comment': '{}//',
      NaN: '{"a":NaN}',
      'a number too large': '{"a":1e400}',
      'a rounded number': '{"a":9007199254740993}',
      'text alone': 'hello',
      'white space': '   ',
      'a form': 'a=1&b=2',
      'a list': '[]',
      'a list of one': '[{}]',
      null: 'null',
      true: 'true',
      'a number': '1',
      'a string': '"text"',
      'thousands deep': '{"a":'.repeat(6000) + '1' + '}'.repeat(6000),
      'thousands of lists': '['.repeat(6000) + ']'.repeat(6000),
      'nine deep': '{"a":'.repeat(9) + '1' + '}'.repeat(9),
      'a member twice': '{"email":1,"email":1}',
      'a member twice, escaped': '{"email":1,"\\u0065mail":1}',
      'a member twice, deep': '{"settings":{"a":[{"b":1,"b":1}]}}',
      'a NUL': '{"a":"\\u0000"}',
      'a raw NUL': '{"a":"\0"}',
      'a lone surrogate': '{"a":"\\ud800"}',
      'a NUL in a name': '{"a\\u0000":1}',
      'a lone surrogate in a name': '{"\\udfff":1}',
      'bad UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
      gzip: Buffer.from([0x1f, 0x8b, 8, 0, 0]),
      'an unknown member': '{"no_such_member":1}',
      __proto__: '{"__proto__":{"polluted":true}}',
      constructor: '{"constructor":{"prototype":{"polluted":true}}}',
    };

    it.each(Object.keys(broken))('%s', async (name) => {
      for (const operation of withBodies()) {
        const tooLarge = Buffer.byteLength(broken[name]!) > maxBytes(operation);
        const reply = await call(operation, pathOf(operation, UNKNOWN), broken[name]);
        expectError(operation.id, reply, tooLarge ? '413 invalid_request' : '400 invalid_request');
      }
      expect(failures).toEqual([]);
    });

    it.each(['{"no_such_member":1}', '[]', 'null', '"text"'])(
      '%s of operations that take none',
      async (body) => {
        const others = operations.filter(
          (operation) => operation.method !== 'GET' && operation.body === null,
        );
        expect(others.map(({ id }) => id)).toEqual(
          expect.arrayContaining(['deleteUser', 'cancelTransaction']),
        );
        for (const operation of others)
          expectError(operation.id, await call(operation, pathOf(operation, UNKNOWN), body));
        expect(failures).toEqual([]);
      },
    );

    it('the largest', async () => {
      for (const operation of withBodies()) {
        const body = bodyOf(maxBytes(operation));
        expectError(operation.id, await call(operation, pathOf(operation, UNKNOWN), body));
      }
      expect(failures).toEqual([]);
    });

    it('with too many members or items', async () => {
      const members = Array.from({ length: 1501 }, (_, index) => `"${index}":1`);
      for (const operation of withBodies().filter(({ protected: needsToken }) => needsToken))
        for (const body of [`{${members.join()}}`, `[${'1,'.repeat(5001)}1]`])
          expectError(operation.id, await call(operation, pathOf(operation, UNKNOWN), body));
      expect(failures).toEqual([]);
    });

    it('larger than 100 KB, or than 8 KB where no token is needed, are 413', async () => {
      const others = operations.filter(({ method }) => method !== 'GET');
      expect(others.filter((operation) => !operation.protected).map(({ id }) => id)).toEqual(
        expect.arrayContaining(['createUser', 'createAccount', 'login', 'refreshTokens']),
      );
      for (const operation of others) {
        for (const bytes of [maxBytes(operation) + 1, 1_000_000])
          expectError(
            operation.id,
            await call(operation, pathOf(operation, UNKNOWN), bodyOf(bytes)),
            '413 invalid_request',
          );
      }
      expect(failures).toEqual([]);
    });

    it.each([
      ['with its length', `Content-Length: ${200 * KB}`, 'x'.repeat(200 * KB)],
      [
        'in chunks',
        'Transfer-Encoding: chunked',
        `${(200 * KB).toString(16)}\r\n${'x'.repeat(200 * KB)}\r\n0\r\n\r\n`,
      ],
    ])(
      'too large %s are read to the end: a client that still sends it would lose the response',
      async (_, header, body) => {
        const { hostname: host, port } = new URL(service.url);
        const socket = connect({ host, port: Number(port) });
        let text = '';
        socket.on('data', (bytes) => (text += bytes.toString()));
        const head = `POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
        socket.write(head + body.slice(0, 20 * KB));
        expect(await until(() => text.includes('HTTP/1.1 413 '))).toBe(true);
        socket.write(`${body.slice(20 * KB)}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect(await until(() => text.includes('HTTP/1.1 200 '))).toBe(true);
        socket.destroy();
      },
    );

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'text/json',
      'application/jsonp',
      'application/json5',
      '*/*',
      'json',
      'application',
      ';',
      'application/json/x',
      'application/octet-stream',
      'text/plain; charset=application/json',
    ])('of content type %s', async (type) => {
      for (const operation of operations.filter(({ method }) => method !== 'GET')) {
        expectError(
          operation.id,
          await call(operation, pathOf(operation, UNKNOWN), '{}', { 'content-type': type }),
        );
      }
      expect(failures).toEqual([]);
    });

    it('of any content type may be absent', async () => {
      const reply = await owner.api.call('DELETE', `/v1/users/${UNKNOWN}`, undefined, {
        headers: { 'content-type': 'text/plain' },
      });
      expect(outcome(reply)).toBe('403 forbidden');
    });

    it.each([
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON',
      'application/json ; charset="utf-8"',
      'application/json; charset=latin1',
      'application/json; profile=x',
    ])('of content type %s are JSON', async (type) => {
      const body = JSON.stringify(aTransaction(owner.accountId, { reference: 'é' }));
      const reply = await owner.api.call('POST', '/v1/transactions', body, {
        headers: { 'content-type': type },
      });
      expect([reply.status, reply.body.reference]).toEqual([201, 'é']);
    });
  });

  describe('members', () => {
    it('with NUL or a lone surrogate are rejected in every string, at every depth', async () => {
      for (const operation of withBodies()) {
        for (const name of Object.keys(operation.body!.members)) {
          for (const bad of ['a\0b', '\udc00\ud800']) {
            for (const value of [bad, { [bad]: 1 }, { inner: [bad] }]) {
              const body = JSON.stringify({ ...operation.sample, [name]: value });
              expectError(`${operation.id} ${name}`, await call(operation, pathOf(operation, UNKNOWN), body));
            }
          }
        }
      }
      expect(failures).toEqual([]);
    });

    it('that are required must be present', async () => {
      for (const operation of withBodies()) {
        for (const name of operation.body!.required) {
          const rest = { ...operation.sample, [name]: undefined };
          expectError(
            `${operation.id} without ${name}`,
            await call(operation, pathOf(operation, UNKNOWN), JSON.stringify(rest)),
          );
        }
      }
      expect(failures).toEqual([]);
    });

    it('of another JSON type are rejected', async () => {
      for (const operation of withBodies()) {
        for (const [name, { type }] of Object.entries(operation.body!.members)) {
          const allowed = [type].flat();
          const wrong = [
            ['boolean', true],
            ['array', []],
            ['array', [operation.sample[name]]],
            ['object', {}],
            ['string', 'text'],
            ['integer', 7],
          ] as const;
          for (const [ofType, value] of wrong) {
            if (allowed.includes(ofType) || (ofType === 'object' && type === undefined)) continue;
            const body = JSON.stringify({ ...operation.sample, [name]: value });
            expectError(
              `${operation.id} ${name} ${body}`,
              await call(operation, pathOf(operation, UNKNOWN), body),
            );
          }
        }
      }
      expect(failures).toEqual([]);
    });
  });

  describe('URLs', () => {
    const bad = ['%', '%2', '%zz', '%c0%af', '%ed%a0%80', '%ff', '%00', 'a%00b', '%e2%82'];

    it('with bad percent-encoding, NUL or a surrogate in the path are rejected', async () => {
      for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0)) {
        for (const parameter of bad) {
          expectError(`${operation.id} ${parameter}`, await call(operation, pathOf(operation, parameter)));
        }
      }
      expect(failures).toEqual([]);
    });

    it('with bad percent-encoding, NUL or a surrogate in the query are rejected', async () => {
      for (const operation of operations) {
        for (const name of [...operation.queryParameters, 'unknown']) {
          for (const value of bad) {
            expectError(
              `${operation.id} ${name}=${value}`,
              await call(operation, `${pathOf(operation, UNKNOWN)}?${name}=${value}`),
            );
          }
        }
      }
      expect(failures).toEqual([]);
    });

    it('with unknown or repeated parameters of a list are rejected', async () => {
      for (const operation of operations.filter(({ queryParameters }) => queryParameters.length > 0)) {
        const { api } = await theAdmin(service.api);
        for (const query of [
          'unknown=1',
          '__proto__=1',
          'constructor=1',
          ...operation.queryParameters.map((name) => `${name}=1&${name}=1`),
        ]) {
          expectError(`${operation.id} ?${query}`, await api.get(`${operation.path}?${query}`));
        }
      }
      expect(failures).toEqual([]);
    });

    it('with a path parameter that is not an id are not_found', async () => {
      const { api } = await theAdmin(service.api);
      for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0)) {
        for (const parameter of [
          'x',
          '..%2f..',
          "'%20OR%201=1",
          '%25',
          '%20',
          '%f0%9f%92%b6',
          '*',
          '%7b%7d',
          'x'.repeat(5000),
          // Close to the limit of Node.js for the whole URL.
          'x'.repeat(15_000 / operation.pathParameters.length),
          UNKNOWN.slice(0, -1),
        ]) {
          // The error is about the id and not about the body.
          const bodies: Record<string, string> = { PATCH: '{}', POST: JSON.stringify(operation.sample) };
          const body = bodies[operation.method];
          expectError(
            `${operation.id} ${parameter.slice(0, 20)}`,
            await api.call(operation.method, pathOf(operation, parameter), body),
            '404 not_found',
          );
        }
      }
      expect(failures).toEqual([]);
    });

    it.each([
      '/',
      '/v1',
      '/v2/transactions',
      '/v1/transactions/a/b',
      '/V1/transactions',
      '//v1/transactions',
      '/v1/payment',
      '/admin',
      '/.env',
      '/v1/users/x/y/z',
    ])('%s is no operation', async (path) => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        expectError(
          `${method} ${path}`,
          await owner.api.call(method, path, method === 'GET' ? undefined : '{}'),
          '404 not_found',
        );
      }
      expect(failures).toEqual([]);
    });
  });

  describe('methods', () => {
    it('that an operation does not have are not_found', async () => {
      for (const path of new Set(operations.map((operation) => operation.path))) {
        const known = operations.filter((operation) => operation.path === path).map(({ method }) => method);
        for (const method of [
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'PROPFIND',
          'PURGE',
          'LOCK',
        ].filter((one) => !known.includes(one))) {
          expectError(
            `${method} ${path}`,
            await owner.api.call(method, path.replace(/\{\w+\}/g, UNKNOWN)),
            '404 not_found',
          );
        }
      }
      expect(failures).toEqual([]);
    });

    it('HEAD is GET without a body', async () => {
      for (const operation of operations.filter(({ method }) => method === 'GET')) {
        const url = `${service.url}${pathOf(operation, UNKNOWN)}`;
        const headers = { authorization: `Bearer ${owner.token}` };
        const [head, get] = [await fetch(url, { method: 'HEAD', headers }), await fetch(url, { headers })];
        expect([operation.id, head.status, await head.text()]).toEqual([operation.id, get.status, '']);
        await get.text();
      }
    });
  });

  describe('metadata with names that objects inherit', () => {
    it('changes no prototype and no other response', async () => {
      const before = JSON.stringify((await owner.api.get('/v1/account')).body);
      const dangerous = [
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        'valueOf',
        '__defineGetter__',
        'then',
        'toJSON',
      ];
      const metadata = Object.fromEntries(
        dangerous.map((name) => [name, { prototype: { polluted: true }, polluted: true }]),
      );
      const made = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { metadata }));
      expect(made.metadata).toEqual(metadata);
      const merged = await owner.api.patch(`/v1/transactions/${made.id}`, {
        metadata: { constructor: null, toString: 1 },
      });
      expect(Object.hasOwn(merged.body.metadata as object, 'constructor')).toBe(false);
      for (const body of [
        '{"metadata":{"__proto__":{"polluted":true}}}',
        '{"__proto__":{"polluted":true}}',
        '{"metadata":{"a":{"__proto__":1}}}',
      ]) {
        expect(outcome(await owner.api.call('PATCH', `/v1/transactions/${made.id}`, body))).toBe(
          '400 invalid_request',
        );
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      const plain = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
      expect(Object.keys(plain.metadata as object)).toEqual([]);
      expect(JSON.stringify((await owner.api.get('/v1/account')).body)).toBe(before);
    });
  });
});
