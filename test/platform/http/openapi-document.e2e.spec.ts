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

  (hasChromium ? it : it.skip)('is shown at /docs', async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${service.url}/docs`);
      await page.getByText('/v1/transactions', { exact: true }).first().waitFor({ timeout: 20_000 });
    } finally {
      await browser.close();
    }
  });
});
