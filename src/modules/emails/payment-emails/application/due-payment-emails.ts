import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database';
import { DueItem, DueItemTask } from '../../../../platform/jobs/due-items';
import { JobQueue } from '../../../../platform/jobs/job-queue';
import { PaymentEmailsRepository } from '../domain/payment-emails.repository';
import { PaymentEmailJob } from './payment-email-job';

/**
 * Adds a job for each due email, in the transaction that clears its due time. Payments do not
 * add jobs themselves, because adding a job makes commits wait for each other.
 */
@Injectable()
export class DuePaymentEmails implements DueItemTask {
  readonly name = 'payment emails';
  readonly batchSize = 100;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentEmailsRepository,
    private readonly jobs: JobQueue,
    private readonly job: PaymentEmailJob,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      const due = await this.repository.claimDue(tx, accountId, ids, now);
      for (const { paymentRequestId: id, kind, traceparent, sentAt } of due) {
        const last = sentAt === null ? {} : { last_sent_at: sentAt.toISOString() };
        this.jobs.add(
          tx,
          this.job,
          `${kind} ${id}`,
          { account_id: accountId, id, kind, ...last },
          traceparent,
        );
      }
    });
  }
}
