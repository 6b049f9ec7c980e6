import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database';
import { DueItem, DueItemTask } from '../../../../platform/jobs/due-items';
import { JobQueue } from '../../../../platform/jobs/job-queue';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { DisabledNoticeJob } from './disabled-notice-job';

/** Adds a job for each owner who is to be told of a disabled endpoint, in the transaction that clears the due time. */
@Injectable()
export class DisabledNotices implements DueItemTask {
  readonly name = 'notices of disabled webhook endpoints';
  readonly batchSize = 100;

  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEndpointsRepository,
    private readonly jobs: JobQueue,
    private readonly job: DisabledNoticeJob,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.repository.findDueNotices(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      for (const endpoint of await this.repository.lockAllOf(tx, accountId)) {
        if (!ids.includes(endpoint.id) || endpoint.noticeDueAt === null) continue;
        endpoint.markNoticeQueued();
        this.repository.save(tx, endpoint);
        this.jobs.add(tx, this.job, `webhook ${endpoint.id}`, { account_id: accountId, id: endpoint.id });
      }
    });
  }
}
