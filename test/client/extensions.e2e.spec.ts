import { Countinghouse, paths } from '../../client/src/index.js';
import { anOwner } from '../support/people';
import { startTestService, TestService } from '../support/service';

/** As openapi-typescript generates it from the document of a service with an extension. */
interface PayoutPaths extends paths {
  '/v1/payouts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: {
      parameters: { query?: { limit?: number }; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: {
          headers: object;
          content: { 'application/json': { data: { iban: string }[]; has_more: boolean } };
        };
      };
    };
    post: {
      parameters: { query?: never; header?: { 'Idempotency-Key'?: string }; path?: never; cookie?: never };
      requestBody: { content: { 'application/json': { iban: string } } };
      responses: { 201: { headers: object; content: { 'application/json': { id: string } } } };
    };
  };
}

describe('A client of a service with extensions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('is typed by the document of that service', async () => {
    const owner = await anOwner(service.api);
    const sent: Request[] = [];
    const client = new Countinghouse<PayoutPaths>({
      baseUrl: service.url,
      credentials: { apiKey: owner.token },
      creations: ['/v1/payouts'],
      fetch: (input, init) => {
        const request = new Request(input, init);
        if (!request.url.endsWith('/v1/payouts') && !request.url.includes('/v1/payouts?'))
          return fetch(request);
        sent.push(request);
        const body =
          request.method === 'POST' ? { id: 'pout_1' } : { data: [{ iban: 'DE71' }], has_more: false };
        return Promise.resolve(Response.json(body, { status: request.method === 'POST' ? 201 : 200 }));
      },
    });
    const { id } = await client.post('/v1/payouts', { body: { iban: 'DE71' } });
    expect(id).toBe('pout_1');
    expect(sent[0]!.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
    for await (const { iban } of client.list('/v1/payouts')) expect(iban).toBe('DE71');
    expect((await client.get('/v1/account')).id).toBe(owner.accountId);
    // @ts-expect-error -- a payout has an IBAN
    const wrong = () => client.post('/v1/payouts', { body: { amount: 1 } });
    // @ts-expect-error -- the service has no such path
    const unknown = () => client.get('/v1/refunds');
    expect([typeof wrong, typeof unknown]).toEqual(['function', 'function']);
  });
});
