import { SECOND_MS } from '../../../../src/kernel/clock';
import { execute } from '../../../../src/service/command-line';
import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { core } from '../../../support/core';
import { anOwner, Owner } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { aTerminal } from '../../../support/terminal';
import { anEndpoint, anEvent, deliveriesOf, receivedBy } from './deliveries';
import { Receiver } from './receiver';

describe('events replay', () => {
  let service: TestService;
  let receiver: Receiver;
  let owner: Owner;
  let id: string;

  beforeAll(async () => {
    service = await startTestService();
    receiver = await Receiver.start();
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
    receiver.accept();
    ({ id } = await anEndpoint(owner, receiver, {
      event_types: ['transaction.created', 'transaction.canceled'],
    }));
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.stop();
  });

  async function replay(...args: string[]) {
    const terminal = aTerminal({
      DATABASE_URL: service.databaseUrl,
      JWT_SECRETS: 'a test secret that is only used in tests',
      LOG_LEVEL: 'silent',
    });
    const code = await execute(
      () => core,
      ['events', 'replay', '--endpoint', id, '--json', ...args],
      terminal,
    );
    return { code, result: terminal.out && (JSON.parse(terminal.out) as object), err: terminal.err };
  }

  const eventIds = (): unknown[] => receivedBy(receiver, owner).map(({ headers }) => headers['webhook-id']);

  it('delivers failed events again with --yes, under the same ids, and nothing before', async () => {
    await anEvent(owner);
    await service.runDueTasks();
    receiver.respondWith(500);
    await anEvent(owner);
    await service.runDueTasks();
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    await service.runDueTasks();
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'enabled' });
    receiver.accept();
    expect(await deliveriesOf(owner, id, '?status=failed')).toHaveLength(1);
    const before = eventIds();

    expect(await replay()).toMatchObject({ code: 0, result: { endpoint: id, count: 1, replayed: false } });
    await service.runDueTasks();
    expect(eventIds()).toEqual(before);

    expect(await replay('--yes')).toMatchObject({
      code: 0,
      result: { endpoint: id, count: 1, replayed: true },
    });
    await service.runDueTasks();
    expect(eventIds()).toEqual([...before, before.at(-1)]);
    expect(await replay('--yes')).toMatchObject({ result: { count: 0 } });
  });

  it('delivers everything again with --all, or what the type and the time select', async () => {
    const { id: transactionId } = await anEvent(owner);
    await service.runDueTasks();
    service.clock.move({ seconds: 10 });
    const since = new Date(service.clock.now().getTime() - 5 * SECOND_MS).toISOString();
    await owner.api.delete(`/v1/transactions/${transactionId}`);
    await service.runDueTasks();
    const sent = eventIds();
    expect(sent).toHaveLength(2);
    const count = async (...args: string[]) => (await replay(...args)).result;
    expect(await count()).toMatchObject({ count: 0 });
    expect(await count('--all')).toMatchObject({ count: 2 });
    expect(await count('--all', '--type', 'transaction.created')).toMatchObject({ count: 1 });
    expect(await count('--all', '--since', since)).toMatchObject({ count: 1 });
    const [{ created_at: last }] = (await owner.api.get(`/v1/webhooks/${id}/deliveries?limit=1`)).body.data;
    expect(await count('--all', '--since', last)).toMatchObject({ count: 1 });
    expect(await count('--all', '--since', last.replace('Z', '9Z'))).toMatchObject({ count: 0 });
    expect(await count('--all', '--yes')).toMatchObject({ count: 2 });
    await service.runDueTasks();
    expect(eventIds().slice(2).toSorted()).toEqual(sent.toSorted());
  });

  it('is recorded in the audit log', async () => {
    await anEvent(owner);
    await service.runDueTasks();
    await replay('--all', '--yes');
    const sql = `SELECT actor_id, details FROM ${AUDIT_ENTRIES}
      WHERE action = 'webhook_endpoint.replay' AND object_id = $1`;
    const rows = await service.sql(sql, [id]);
    expect(rows).toMatchObject([{ actor_id: 'system' }]);
  });

  it('is rejected for a disabled endpoint, and for one that does not exist', async () => {
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    const disabled = await replay('--yes');
    expect(disabled.code).toBe(1);
    expect(disabled.err).toContain('The webhook endpoint is disabled.');
    await owner.api.delete(`/v1/webhooks/${id}`);
    expect((await replay()).err).toBe(
      'The events cannot be delivered again. There is no such webhook endpoint.\n',
    );
  });

  it.each([
    [['--since', 'yesterday'], 'It must be a time like'],
    [['--failed', '--all'], "cannot be used with option '--all'"],
    [['--endpoint', 'acc_1'], 'takes the id of an endpoint'],
  ])('exits with 2 for %j', async (args, message) => {
    const { code, err } = await replay(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
