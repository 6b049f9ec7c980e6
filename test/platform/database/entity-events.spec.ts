import { DataSource } from 'typeorm';
import { EventSource } from '../../../src/kernel/entity';
import {
  subscriptionListFilters,
  subscriptionSchema,
} from '../../../src/modules/subscriptions/subscriptions.repository';
import { AccountOwnedTable } from '../../../src/platform/database/account-owned-table';
import { Database } from '../../../src/platform/database/database';

class Payout extends EventSource {
  readonly id = 'pout_1';
}

describe('The events of an entity', () => {
  it('are handed over once, in the order in which they happened', () => {
    const payout = new Payout().addEvent('payout.created', 'acc_1').addEvent('payout.reviewed', null);
    expect(payout.takeEvents()).toEqual([
      { type: 'payout.created', accountId: 'acc_1' },
      { type: 'payout.reviewed', accountId: null },
    ]);
    expect(payout.takeEvents()).toEqual([]);
  });

  it('are numbered from 1', () => {
    const payout = Object.assign(new Payout(), { eventCount: 0 });
    expect([payout.countEvent(), payout.countEvent(), payout.eventCount]).toEqual([1, 2, 2]);
  });

  it('belong to the entity, not to its copies', () => {
    const payout = new Payout().addEvent('payout.created', 'acc_1');
    expect(Object.assign(new Payout(), payout).takeEvents()).toEqual([]);
  });

  it('are not lost: a repository that cannot write them is rejected when the service starts', () => {
    const withoutRecorder = () =>
      new AccountOwnedTable({} as Database, {} as DataSource, subscriptionSchema, subscriptionListFilters);
    expect(withoutRecorder).toThrow('The repository of Subscription needs the EventRecorder.');
  });
});
