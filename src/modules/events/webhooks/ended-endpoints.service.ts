import { Injectable } from '@nestjs/common';
import { Actor, AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { Account } from '../../accounts';
import { describeAction, describeDisabling, WebhookEndpoint } from './webhook-endpoint';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository';

/** Ends endpoints with what they belong to, and as a periodic task those of API keys that have expired. */
@Injectable()
export class EndedEndpoints implements DueItemTask {
  readonly name = 'webhook endpoints of expired API keys';
  readonly wokenBy = ['webhook_endpoints'];
  readonly batchSize = 100;

  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEndpointsRepository,
    private readonly audit: AuditTrail,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.repository.findOfExpiredKeys(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      for (const endpoint of await this.repository.lockAllOf(tx, accountId))
        if (ids.includes(endpoint.id) && endpoint.hasExpiredKey(now))
          this.endWithKey(tx, systemActor, endpoint, now);
    });
  }

  /** Disables the endpoints of an API key that is revoked. `tx` has locked its account. */
  async endWithRevokedKey(
    tx: Tx,
    actor: Actor,
    { id, accountId }: { readonly id: string; readonly accountId: string | null },
    now: Date,
  ): Promise<void> {
    const endpoints = accountId === null ? [] : await this.repository.lockAllOf(tx, accountId);
    for (const endpoint of endpoints) if (endpoint.apiKeyId === id) this.endWithKey(tx, actor, endpoint, now);
  }

  /** Disables the endpoints of an account that is being closed. */
  async endWithAccount(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const endpoint of await this.repository.lockAllOf(tx, account.id)) {
      endpoint.disable('account_closed', now);
      this.repository.save(tx, endpoint);
    }
    account.deliverEvents(false);
  }

  /** Deletes the endpoints of an account that the owner of its email takes over. */
  async deleteAtTakeOver(tx: Tx, actor: Actor, account: Account): Promise<void> {
    for (const endpoint of await this.repository.lockAllOf(tx, account.id)) {
      this.repository.delete(tx, endpoint);
      this.audit.record(tx, actor, describeAction('delete', endpoint));
    }
    account.deliverEvents(false);
  }

  private endWithKey(tx: Tx, actor: Actor, endpoint: WebhookEndpoint, now: Date): void {
    if (!endpoint.isEnabled) return;
    endpoint.disable('api_key_ended', now);
    this.repository.save(tx, endpoint);
    this.audit.record(tx, actor, describeDisabling(endpoint));
  }
}
