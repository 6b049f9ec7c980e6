import { AccountStore, NewResource } from '../../../src/modules/accounts/application/account-store.service';
import { AccountsRepository } from '../../../src/modules/accounts/domain/accounts.repository';
import { Principal } from '../../../src/modules/auth';
import { AuditTrail } from '../../../src/platform/audit/audit-trail';
import { Database, IdempotentOperation } from '../../../src/platform/database/database';
import { EventRecorder } from '../../../src/platform/events/event-recorder';

describe('A creation under the account of another tenant', () => {
  const resource: NewResource = {
    accountId: 'acc_of_another_tenant',
    idPrefix: 'txn',
    action: 'transaction.create',
    purpose: 'payment',
    currency: 'USD',
  };
  const operation: IdempotentOperation<{ id: string; accountId: string }> = {
    principal: 'usr_1',
    accountId: null,
    key: 'used before',
    request: 'POST /v1/transactions',
    render: (result) => result,
  };
  const stranger = { role: 'user', accountId: 'acc_own' } as Principal;

  it('is rejected before it waits for that account and before a stored response is returned', async () => {
    const idempotent = jest.fn();
    const database = { idempotent } as unknown as Database;
    const [repository, events, audit] = [{} as AccountsRepository, {} as EventRecorder, {} as AuditTrail];
    const store = new AccountStore(database, repository, events, audit);
    const work = async () => ({ id: 'txn_1', accountId: 'acc_of_another_tenant' });
    await expect(store.create(stranger, resource, operation, work)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(idempotent).not.toHaveBeenCalled();
  });
});
