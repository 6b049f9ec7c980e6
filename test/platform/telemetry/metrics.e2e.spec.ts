import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { isBackground } from '../../../src/platform/database/engine/connection-shares';
import { readGauge } from '../../../src/platform/telemetry/metrics';
import { anAccount, created, Owner, PASSWORD, someEmail } from '../../support/people';
import { anEndpoint } from '../../modules/events/webhooks/deliveries';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { startTestService, TestService } from '../../support/service';

const DEPLOY = join(__dirname, '..', '..', '..', 'deploy', 'monitoring');

let service: TestService;
let account: Owner;

beforeAll(async () => {
  service = await startTestService({
    METRICS_PORT: '0',
    SMTP_URL: 'smtp://localhost:1',
    MAIL_FROM: 'a@b.test',
  });
  account = await anAccount(service.api);
});

afterAll(() => service.stop());

const scrape = async (): Promise<string> => (await fetch(service.metricsUrl!)).text();

/** The value of a metric; the labels are written as they appear. */
async function valueOf(metric: string): Promise<number> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${metric} `));
  return line === undefined ? NaN : Number(line.split(' ').at(-1));
}

const aTransaction = (type: string, metadata = {}): Promise<{ id: string }> =>
  created(account.api, '/v1/transactions', {
    account_id: account.accountId,
    amount: 500,
    currency: 'USD',
    type,
    metadata,
  });

describe('the metrics', () => {
  it('count the requests of each route by status, without ids', async () => {
    const { id } = await aTransaction('credit');
    await account.api.get(`/v1/transactions/${id}`);
    await service.api.get(`/v1/transactions/${id}`);
    const labels = (status: number): string =>
      `http_request_method="GET",http_route="/v1/transactions/:transaction_id",http_response_status_code="${status}"`;
    expect(await valueOf(`http_server_request_duration_seconds_count{${labels(200)}}`)).toBe(1);
    expect(await valueOf(`http_server_request_duration_seconds_count{${labels(401)}}`)).toBe(1);
    expect(await scrape()).not.toContain(id);
  });

  it('count postings and the tasks of group commits', async () => {
    const before = await Promise.all([
      valueOf('countinghouse_postings_total{direction="in"}'),
      valueOf('countinghouse_group_commit_tasks_sum'),
    ]);
    await Promise.all(Array.from({ length: 5 }, () => aTransaction('credit')));
    expect(await valueOf('countinghouse_postings_total{direction="in"}')).toBe((before[0] || 0) + 5);
    expect(await valueOf('countinghouse_group_commit_tasks_sum')).toBe(before[1] + 5);
  });

  it('show what waits for the periodic tasks, until it is done', async () => {
    const due = 'countinghouse_due_items{task="transactions"}';
    await aTransaction('payment');
    expect(await valueOf(due)).toBe(0);
    service.clock.move({ seconds: 61 });
    expect(await valueOf(due)).toBe(1);
    const startedAt = Date.now() / 1000 - 1;
    await service.runDueTasks();
    expect(await valueOf(due)).toBe(0);
    const ranAt = await valueOf(
      'countinghouse_periodic_task_last_success_timestamp_seconds{task="transactions"}',
    );
    expect(ranAt).toBeGreaterThan(startedAt);
  });

  it('show events that wait, and deliveries until they are attempted, and count the attempts', async () => {
    const receiver = await Receiver.start();
    receiver.respondWith(500);
    const { id } = await anEndpoint(account, receiver, { event_types: ['transaction.created'] });
    await aTransaction('payment');
    service.clock.move({ seconds: 30 });
    expect(await valueOf('countinghouse_events_waiting')).toBe(1);
    expect(await valueOf('countinghouse_events_waiting_seconds')).toBeGreaterThanOrEqual(30);
    await service.runDueTasks();
    expect(await valueOf('countinghouse_events_waiting')).toBe(0);
    expect(await valueOf('countinghouse_events_waiting_seconds')).toBe(0);
    expect(await valueOf('countinghouse_webhook_attempts_total{outcome="failed"}')).toBe(1);
    const [pending, due] = ['pending', 'due'].map(
      (state) => `countinghouse_webhook_deliveries{state="${state}"}`,
    );
    expect([await valueOf(pending!), await valueOf(due!)]).toEqual([1, 0]);
    expect(await valueOf('countinghouse_webhook_overdue_seconds')).toBe(0);
    service.clock.move({ minutes: 5 });
    expect([await valueOf(pending!), await valueOf(due!)]).toEqual([1, 1]);
    expect(await valueOf('countinghouse_webhook_overdue_seconds')).toBeGreaterThan(200);
    await receiver.stop();
    await account.api.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    await service.runDueTasks();
    expect([await valueOf(pending!), await valueOf(due!)]).toEqual([0, 0]);
    expect(await valueOf('countinghouse_webhook_deliveries_failed_total')).toBe(1);
  });

  it('show the connections of the pool and the queue of logins', async () => {
    expect(await valueOf('countinghouse_database_connections_max')).toBe(4);
    expect(await valueOf('countinghouse_database_connections{state="used"}')).toBeGreaterThanOrEqual(0);
    expect(await valueOf('countinghouse_database_connections_waiting')).toBe(0);
    expect(await valueOf('countinghouse_password_hashing_tasks{state="waiting"}')).toBe(0);
  });

  it('contain no secret and no personal data', async () => {
    const email = someEmail();
    await created(service.api, '/v1/users', { email, password: PASSWORD });
    await fetch(`${service.url}/pay/${'x'.repeat(43)}`);
    const text = await scrape();
    for (const secret of [email, PASSWORD, account.token, account.email, account.accountId, 'xxxxxxxx']) {
      expect(text).not.toContain(secret);
    }
  });

  it('are not served to clients of the API, and only a probe of liveness is on their port, too', async () => {
    expect((await fetch(service.metricsUrl!.replace('/metrics', '/health/live'))).status).toBe(200);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
    expect((await fetch(service.metricsUrl!.replace('/metrics', '/v1/account'))).status).toBe(404);
    expect((await fetch(service.metricsUrl!, { method: 'POST' })).status).toBe(404);
  });

  it('are not served without METRICS_PORT', async () => {
    const replica = await service.replica({ METRICS_PORT: '' });
    try {
      expect(replica.metricsUrl).toBeNull();
    } finally {
      await replica.stop();
    }
  });
});

describe('a gauge that is read', () => {
  it('has no values while it cannot be read, and the others are still collected', async () => {
    const registry = new Registry();
    let fails = false;
    const definition = { name: 'rows', help: 'Rows.', labelNames: ['table'] } as const;
    readGauge(registry, definition, async () => {
      if (fails) throw new Error('the database is down');
      return [{ labels: { table: 'jars' }, value: 3 }];
    });
    readGauge(registry, { ...definition, name: 'columns' }, async () => [
      { labels: { table: 'jars' }, value: 2 },
    ]);
    expect(await registry.metrics()).toContain('rows{table="jars"} 3');
    fails = true;
    const text = await registry.metrics();
    expect(text).not.toContain('rows{');
    expect(text).toContain('columns{table="jars"} 2');
  });

  it('holds one connection of background work, and no scrape, while the database hangs', async () => {
    const registry = new Registry();
    const definition = { name: 'rows', help: 'Rows.', labelNames: ['table'] } as const;
    let respond!: () => void;
    const responded = new Promise<void>((resolve) => (respond = resolve));
    const started: boolean[] = [];
    for (const name of ['rows', 'columns'])
      readGauge(registry, { ...definition, name }, async () => {
        started.push(isBackground());
        await responded;
        return [{ labels: { table: 'jars' }, value: 1 }];
      });
    const texts = await Promise.all([registry.metrics(), registry.metrics()]);
    for (const text of texts) expect(text).not.toContain('{table="jars"}');
    expect(started).toEqual([true]);
    respond();
    expect(await registry.metrics()).toContain('columns{table="jars"} 1');
    expect(started).toEqual([true, true]);
  });
});

describe('the alerting rules and the dashboard', () => {
  const EXPRESSION_OF_OTHERS = ['up'];

  /** The names of the metrics in a PromQL expression: what is followed by labels, a range or nothing, and is no label. */
  function metricsIn(expression: string): string[] {
    const withoutLabels = expression.replace(/\{[^}]*\}/g, ' ').replace(/\b(by|without)\s*\([^)]*\)/g, ' ');
    return [...withoutLabels.matchAll(/\b([a-z][a-z0-9_]*)\b(?!\s*\()/g)]
      .map(([, name]) => name!)
      .filter((name) => name.includes('_') || EXPRESSION_OF_OTHERS.includes(name))
      .filter((name) => !name.startsWith('__'));
  }

  const alerts = (
    parse(readFileSync(join(DEPLOY, 'alerts.yml'), 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    }
  ).groups.flatMap(({ rules }) => rules);
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const expressions = [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];

  it.each(expressions)('%s uses metrics that exist', async (_name, expression) => {
    const existing = new Set([...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = metricsIn(expression.replaceAll('[$__rate_interval]', ''));
    expect(used.length).toBeGreaterThan(0);
    const unknown = used.filter(
      (name) =>
        !EXPRESSION_OF_OTHERS.includes(name) &&
        !existing.has(name.replace(/_(bucket|sum|count)$/, '')) &&
        !existing.has(name),
    );
    expect(unknown).toEqual([]);
  });

  it('are described in the documentation, each alert', () => {
    const manual = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'monitoring.md'), 'utf8');
    expect(alerts.map(({ alert }) => alert).filter((alert) => !manual.includes(`\`${alert}\``))).toEqual([]);
  });
});
