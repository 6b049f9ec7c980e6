import { hasChromium, openChromium } from '../../support/chromium';
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

  it('is shown in the width of a phone by the console', async () => {
    for (const path of ['/docs/try', '/docs/try/index.html']) {
      const page = await (await fetch(`${service.url}${path}`)).text();
      expect(
        page.match(/<meta name="viewport" content="width=device-width, initial-scale=1">/g),
      ).toHaveLength(1);
    }
  });

  (hasChromium ? it : it.skip)('can be tried at /docs/try', async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      let bytes = 0;
      page.on('requestfinished', (request) => {
        void request.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
      });
      await page.goto(`${service.url}/docs/try#/Payment%20requests/createPaymentRequest`, {
        timeout: 50_000,
      });
      await page.getByRole('button', { name: 'Try it out' }).waitFor();
      console.info(`The page transfers ${bytes} bytes.`);
      expect(bytes).toBeLessThan(900_000); // 2.6 MB without compression
    } finally {
      await browser.close();
    }
  });
});
