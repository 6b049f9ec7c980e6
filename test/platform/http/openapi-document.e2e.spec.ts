import { startTestService, TestService } from '../../support/service';

describe('The OpenAPI document', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('is sent once to a client that keeps it', async () => {
    const first = await fetch(`${service.url}/openapi.json`);
    expect([first.status, first.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const etag = first.headers.get('etag')!;
    const again = await fetch(`${service.url}/openapi.json`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each(['br', 'gzip'])('is sent compressed to a client that accepts %s', async (encoding) => {
    const plain = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
    const compressed = await fetch(`${service.url}/openapi.json`, {
      headers: { 'accept-encoding': encoding },
    });
    expect([plain, compressed].map(({ headers }) => headers.get('content-encoding'))).toEqual([
      null,
      encoding,
    ]);
    expect(await compressed.text()).toBe(await plain.text());
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(40_000);
  });
});
