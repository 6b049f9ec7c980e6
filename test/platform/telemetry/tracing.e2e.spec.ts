import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { untilOneWaits } from '../../support/lock-waits';
import { anAccount, created, Owner, PASSWORD, someEmail } from '../../support/people';
import { aPaymentRequest } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** Receives traces like an OpenTelemetry collector. */
class Collector {
  readonly spans: Span[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void json(request).then((body) => {
        type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
        const { resourceSpans } = body as Export;
        this.spans.push(
          ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
        );
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN_ID = 'b7ad6b7169203331';

let smtp: SmtpServer;
let collector: Collector;
let service: TestService;
let account: Owner;

/** Ends the service, which sends its last spans. */
async function spansAfterStop(): Promise<readonly Span[]> {
  await service.stop();
  return collector.spans;
}

beforeAll(async () => {
  smtp = await SmtpServer.start();
});
afterAll(() => smtp.stop());
beforeEach(async () => {
  collector = new Collector();
});
afterEach(() => collector.stop());

async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
  const OTEL_EXPORTER_OTLP_ENDPOINT = await collector.start();
  service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG: '1', ...env });
  account = await anAccount(service.api);
}

const aCredit = (headers = {}): Promise<unknown> =>
  account.api.post(
    '/v1/transactions',
    { account_id: account.accountId, amount: 500, currency: 'USD', type: 'credit', reference: 'a canary' },
    { headers },
  );

it("A request and its database transaction are part of the client's trace, without values of the request", async () => {
  await start();
  await aCredit({ traceparent: `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01`, 'X-Request-Id': 'the-id-in-the-log' });
  const spans = (await spansAfterStop()).filter(({ traceId }) => traceId === TRACE_ID);
  const request = spans.find(({ name }) => name === 'POST /v1/transactions')!;
  expect(request.parentSpanId).toBe(CLIENT_SPAN_ID);
  expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } });
  expect(request.attributes).toContainEqual({
    key: 'countinghouse.request_id',
    value: { stringValue: 'the-id-in-the-log' },
  });
  const transactions = spans.filter(({ name }) => name === 'transaction');
  expect(transactions.map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId]);
  for (const secret of ['a canary', account.token, account.accountId]) {
    expect(JSON.stringify(collector.spans)).not.toContain(secret);
  }
});

it('A request whose client goes away has a span with the status of its response', async () => {
  await start();
  await service.sql('BEGIN');
  await service.sql('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.accountId]);
  const client = new AbortController();
  const body = { account_id: account.accountId, amount: 500, currency: 'USD', type: 'credit' };
  const response = fetch(`${service.url}/v1/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
    body: JSON.stringify(body),
    signal: client.signal,
  });
  await untilOneWaits(service);
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  await service.sql('COMMIT');
  expect(await until(() => service.logged.some((line) => line.includes('"aborted":true')))).toBe(true);
  const span = (await spansAfterStop()).find(({ name }) => name === 'POST /v1/transactions')!;
  expect(span.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } });
});

it('An email is part of the trace of the request that caused it, also of one of several at the same time', async () => {
  await start({ ...smtp.settings, RUN_WORKER: 'true' });
  const emails = [someEmail(), someEmail(), someEmail()];
  await Promise.all(
    emails.map((customer_email) =>
      created(account.api, '/v1/payments', aPaymentRequest(account.accountId, { customer_email })),
    ),
  );
  expect(await until(() => emails.every((email) => smtp.to(email).length === 1))).toBe(true);
  const spans = await spansAfterStop();
  const requests = spans.filter(({ name }) => name === 'POST /v1/payments');
  expect(requests).toHaveLength(3);
  const idsOf = (some: readonly Span[]) => some.map(({ traceId }) => traceId).toSorted();
  expect(idsOf(spans.filter(({ name }) => name === 'job payment-mail'))).toEqual(idsOf(requests));
  for (const email of emails) expect(JSON.stringify(spans)).not.toContain(email);
});

it('An email about a new password is part of the trace of the request that changed it', async () => {
  await start({ ...smtp.settings, RUN_WORKER: 'true' });
  const body = { current_password: PASSWORD, password: 'another password of mine' };
  expect((await account.api.post('/v1/auth/password', body)).status).toBe(200);
  expect(await until(() => smtp.to(account.email).length === 1)).toBe(true);
  const spans = await spansAfterStop();
  const request = spans.find(({ name }) => name === 'POST /v1/auth/password')!;
  const jobs = spans.filter(({ name }) => name.startsWith('job '));
  // The sign-up has sent a link, too.
  expect(jobs.map(({ traceId }) => traceId)).toContain(request.traceId);
});

it('Nothing is sent for requests that are not sampled, also where the client samples them', async () => {
  await start({ OTEL_TRACES_SAMPLER_ARG: '0' });
  await aCredit({ traceparent: `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01` });
  expect(await spansAfterStop()).toEqual([]);
});

it('A collector that is not there does not disturb requests or the stop', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(await aCredit()).toMatchObject({ status: 201 });
  await service.stop();
});

it('A part that is no number from 0 to 1 stops the start', async () => {
  await expect(
    startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER_ARG: '2' }),
  ).rejects.toThrow('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1');
});
