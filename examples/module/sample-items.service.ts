import { Injectable } from '@nestjs/common';
import {
  AccountScopedReader,
  AccountStore,
  Database,
  DueItem,
  DueItemTask,
  IdempotentOperation,
  Principal,
  StoredResponse,
} from 'countinghouse';
import { SampleItem } from './sample-item';
import type { CreateSampleItemRequest } from './sample-items.dto';
import { SampleItemFilter, SampleItemsTable } from './sample-items.table';

@Injectable()
export class SampleItems extends AccountScopedReader<SampleItem, SampleItemFilter> {
  constructor(
    private readonly table: SampleItemsTable,
    private readonly accounts: AccountStore,
  ) {
    super('smpl', 'sample item', table);
  }

  /** @throws DomainError `not_found`, `forbidden` */
  create(
    caller: Principal,
    { account_id: accountId, reference = null }: CreateSampleItemRequest,
    operation: IdempotentOperation<SampleItem>,
  ): Promise<StoredResponse> {
    const action = 'sample_item.create';
    const resource = { accountId, idPrefix: 'smpl', action, purpose: 'record' } as const;
    return this.accounts.create(caller, resource, operation, async (tx, _account, { id, at }) => {
      const item = SampleItem.create({ accountId, id, reference }, at);
      this.table.add(tx, item);
      return item;
    });
  }

  /** @throws DomainError `not_found`, `not_cancellable` */
  cancel(caller: Principal, id: string): Promise<SampleItem> {
    const change = { items: this, id, action: 'sample_item.cancel' };
    return this.accounts.change(caller, change, (tx, _account, item, now) => {
      item.cancel(now);
      this.table.save(tx, item);
    });
  }
}

/** Ends what has expired. */
@Injectable()
export class SampleItemExpiry implements DueItemTask {
  readonly name = 'sample item expiry';
  readonly batchSize = 32;

  constructor(
    private readonly database: Database,
    private readonly table: SampleItemsTable,
    private readonly accounts: AccountStore,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.table.findDue(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(
      (tx, now) =>
        this.accounts.update(tx, accountId, async () => {
          for (const id of ids) {
            const item = await this.table.lock(tx, accountId, id);
            if (item?.expireIfDue(now)) this.table.save(tx, item);
          }
        }),
      accountId,
    );
  }
}
