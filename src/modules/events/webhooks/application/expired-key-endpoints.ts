import { Injectable } from '@nestjs/common';
import { DueItem, DueItemTask } from '../../../../platform/jobs/due-items';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { WebhookEndpoints } from './webhook-endpoints.service';

/** Disables the endpoints of API keys that have expired. */
@Injectable()
export class ExpiredKeyEndpoints implements DueItemTask {
  readonly name = 'webhook endpoints of expired API keys';
  readonly batchSize = 100;

  constructor(
    private readonly repository: WebhookEndpointsRepository,
    private readonly endpoints: WebhookEndpoints,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.repository.findOfExpiredKeys(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.endpoints.disableExpired(accountId, ids);
  }
}
