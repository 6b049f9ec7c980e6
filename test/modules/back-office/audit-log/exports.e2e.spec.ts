import { exampleId } from '../../../../src/platform/http/response-fields';
import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { anOperator, anOwner, created, Owner, Person, theAdmin } from '../../../support/people';
import { openedIn2000 } from '../../../support/old-account';
import { startTestService, TestService } from '../../../support/service';

/** In which the accounts of this suite have no entries. */
const PERIOD = '2003-05';

interface Exportable {
  readonly id: string;
  readonly path: string;
  readonly formats: readonly string[];
}

describe('The audit log', () => {
  let service: TestService;
  let support: Person;
  let owner: Owner;
  let webhookId: string;
  let exportable: readonly Exportable[];

  beforeAll(async () => {
    service = await startTestService();
    support = await anOperator(service.api, 'support');
    owner = await openedIn2000(service, await anOwner(service.api));
    webhookId = (await created(owner.api, '/v1/webhooks', { url: 'https://hooks.countinghouse.test' })).id;
    exportable = await exportableOperations();
  });
  afterAll(() => service.stop());

  /** The operations that also respond with files. */
  async function exportableOperations(): Promise<readonly Exportable[]> {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as any;
    return Object.entries<any>(paths).flatMap(([path, { get }]) => {
      const types = Object.keys(get?.responses['200']?.content ?? {});
      if (!types.includes('text/csv')) return [];
      const formats = types.includes('application/pdf') ? ['csv', 'camt053', 'pdf'] : ['csv'];
      return [{ id: get.operationId, path, formats }];
    });
  }

  /** The entries about exports of a request. */
  async function entriesOf(person: Person, path: string, status = 200, accept = '*/*'): Promise<any[]> {
    const requestId = `export-${Math.random().toString(36).slice(2)}`;
    const reply = await person.api.get(path, { headers: { 'x-request-id': requestId, accept } });
    expect(reply.status).toBe(status);
    const sql = `SELECT * FROM ${AUDIT_ENTRIES} WHERE request_id = $1 AND action = 'export'`;
    return service.sql<any>(sql, [requestId]);
  }

  const pathOf = (path: string): string =>
    path
      .replace('{account_id}', owner.accountId)
      .replace('{user_id}', owner.id)
      .replace('{webhook_id}', webhookId)
      .replace('{period}', PERIOD);

  it('has an entry for each file that support people take, with the operation and the format', async () => {
    const forAll = exportable.filter(({ path }) => !path.startsWith('/v1/account/'));
    expect(forAll.length).toBeGreaterThan(8);
    for (const { id: operation, path, formats } of forAll) {
      for (const format of formats) {
        const [entry, ...more] = await entriesOf(support, `${pathOf(path)}?format=${format}`);
        const objectId = path.includes('{account_id}') ? owner.accountId : null;
        expect(more).toEqual([]);
        expect(entry).toMatchObject({
          actor_id: support.id,
          actor_role: 'support',
          object_id: objectId,
          account_id: objectId,
          outcome: 'succeeded',
          ip: expect.stringMatching(/127\.0\.0\.1|::1/),
          details: { operation, format, withheld: [] },
        });
      }
      expect(await entriesOf(support, pathOf(path))).toEqual([]);
    }
  });

  it('has an entry for each file that Accept has chosen, in its format', async () => {
    const types = { csv: 'text/csv', camt053: 'application/xml', pdf: 'application/pdf' };
    for (const { path, formats } of exportable.filter((one) => !one.path.startsWith('/v1/account/')))
      for (const [format, accept] of Object.entries(types)) {
        const [entry] = await entriesOf(support, pathOf(path), 200, accept);
        expect(entry?.details.format).toBe(formats.includes(format) ? format : undefined);
      }
  });

  it('is of a file that begins with the id of each item', async () => {
    const lists = exportable.filter(({ path }) => !path.includes('{period}') && !path.endsWith('/entries'));
    for (const { path } of lists) {
      const caller = path.startsWith('/v1/account/') ? owner : support;
      const { status, text } = await caller.api.get(`${pathOf(path)}?format=csv`);
      const id = path.endsWith('/sessions') ? 'session_id' : 'id';
      expect([path, status, text.split(/[,\n]/)[0]]).toEqual([path, 200, id]);
    }
  });

  it('has none for the exports of accounts and platform systems, nor for those that are rejected', async () => {
    const platform = await anOperator(service.api, 'platform');
    for (const { path, formats } of exportable) {
      for (const format of formats) {
        const own = !/\{(account|user)_id\}|accounts|audit|unapplied|adjust|approv|webhook-deliveries/.test(
          path,
        );
        if (own) expect(await entriesOf(owner, `${pathOf(path)}?format=${format}`)).toEqual([]);
      }
    }
    expect(await entriesOf(platform, '/v1/accounts?format=csv')).toEqual([]);
    expect(await entriesOf(support, '/v1/accounts?format=csv&page=2', 400)).toEqual([]);
    expect(await entriesOf(owner, '/v1/audit-log?format=csv', 403)).toEqual([]);
    const future = `/v1/accounts/${owner.accountId}/statements/2999?format=pdf`;
    expect(await entriesOf(support, future, 400)).toEqual([]);
  });

  it('shows filters by status, date and id, and of others only that they were there', async () => {
    const admin = await theAdmin(service.api);
    const { accountId } = owner;
    const detailsOf = async (path: string): Promise<any> => (await entriesOf(admin, path))[0];
    const email = 'ada%40example.com';
    expect(
      await detailsOf(
        `/v1/payments?status=pending&customer_email=${email}&account_id=${accountId}&format=csv`,
      ),
    ).toMatchObject({
      object_id: accountId,
      details: { filters: { status: 'pending', account_id: accountId }, withheld: ['customer_email'] },
    });
    expect(
      await detailsOf(`/v1/accounts?name=Love&email=${email}&created_after=2026-01-31&format=csv`),
    ).toMatchObject({
      details: { filters: { created_after: '2026-01-31' }, withheld: ['name', 'email'] },
    });
    expect(await detailsOf('/v1/transactions?account_id=Ada+Lovelace&format=csv')).toMatchObject({
      object_id: null,
      details: { filters: {}, withheld: ['account_id'] },
    });
    const objectId = exampleId('txn');
    expect(await detailsOf(`/v1/events?object_id=${objectId}&format=csv`)).toMatchObject({
      details: { filters: { object_id: objectId } },
    });
    const [{ text }] = (await service.sql<{ text: string }>(
      `SELECT string_agg(details::text, ' ') AS text FROM ${AUDIT_ENTRIES} WHERE action = 'export'`,
    )) as [{ text: string }];
    expect(text).not.toMatch(/ada|love/i);
  });
});
