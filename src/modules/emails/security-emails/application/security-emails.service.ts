import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../../kernel/clock';
import { Database } from '../../../../platform/database/database';
import { JobQueue } from '../../../../platform/jobs/job-queue';
import { SecurityEmailsRepository } from '../domain/security-emails.repository';
import { SecurityEmailJob } from './security-email-job';

const BATCH = 100;

/** Emails that could not be sent are deleted after this time, when their job has ended. */
const KEPT_MINUTES = 2 * 24 * 60;

/** The queue of emails about logins. */
@Injectable()
export class SecurityEmails {
  constructor(
    private readonly database: Database,
    private readonly repository: SecurityEmailsRepository,
    private readonly jobs: JobQueue,
    private readonly job: SecurityEmailJob,
  ) {}

  /**
   * Adds a job for each due email. Requests do not add jobs themselves, because adding a job makes commits wait for each
   * other. @returns whether there may be more
   */
  async addJobs(): Promise<boolean> {
    const added = await this.database.transaction(async (tx, now) => {
      const due = await this.repository.claimDue(tx, now, BATCH);
      for (const { id, traceparent } of due)
        this.jobs.add(tx, this.job, `security ${id}`, { id }, traceparent);
      return due;
    });
    return added.length === BATCH;
  }

  /** @returns whether there may be more */
  async deleteOld(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - KEPT_MINUTES * MINUTE_MS);
    return (await this.repository.deleteOld(before, BATCH)) === BATCH;
  }
}
