import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, SECOND_MS } from '../../../kernel/clock';
import { CONFIG, Config } from '../../../platform/config/config';
import { Database } from '../../../platform/database/database';
import { isUnavailable } from '../../../platform/database/failures';
import { JobHandler, JobQueue } from '../../../platform/jobs/job-queue';
import { Mailer, MailFailure } from '../../../platform/mail/mailer';
import { Log } from '../../../platform/telemetry/log';
import { Accounts } from '../../accounts';
import { PaymentLinks } from '../domain/payment-links';
import { MailKind } from '../domain/payment-request';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { PaymentMail } from '../page/payment-mail';
import { Bill } from './checkout.service';

/** What a job knows: ids. The link and the address are read when the mail is sent. */
interface PaymentMailJob {
  readonly account_id: string;
  readonly id: string;
  readonly kind: MailKind;
}

/** Accounts that one round of the sweep looks at, and requests that it queues mail about in one of them at a time. */
const ACCOUNTS_PER_ROUND = 100;
const REQUESTS_PER_ACCOUNT = 100;

/** Customers get mail when money is asked of them and when they have paid. */
@Injectable()
export class PaymentMails implements JobHandler<PaymentMailJob> {
  readonly name = 'payment-mail';
  /** Over about a day: the waits grow to six hours. */
  readonly attempts = 13;
  private readonly mail: PaymentMail;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: Accounts,
    private readonly jobs: JobQueue,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly log: Log,
    links: PaymentLinks,
    @Inject(CONFIG) { processor, stripe }: Config,
  ) {
    this.mail = new PaymentMail(processor === 'sandbox' || stripe?.playMoney === true, links);
  }

  /** Hands what is due to the queue, an account at a time. @returns whether there may be more */
  async queueDue(now: Date): Promise<boolean> {
    const accountIds = await this.repository.accountsWithMailDue(now, ACCOUNTS_PER_ROUND);
    let queued = 0;
    let more = false;
    for (const accountId of accountIds) {
      const due = await this.queueDueOf(accountId);
      queued += due;
      more ||= due === REQUESTS_PER_ACCOUNT;
    }
    // What others hold at this moment waits for the next sweep, not for this one to come round again and again.
    return more || (accountIds.length === ACCOUNTS_PER_ROUND && queued > 0);
  }

  /** A job comes to be in the transaction in which its mail is no longer due: one for each event. */
  private queueDueOf(accountId: string): Promise<number> {
    return this.database.atomically(null, async (tx, now) => {
      const due = await this.repository.lockMailDue(tx, accountId, now, REQUESTS_PER_ACCOUNT);
      for (const request of due) {
        const kind = request.mailKind(now);
        request.mailDueAt = null;
        this.repository.save(tx, request);
        if (kind === null) continue;
        this.jobs.add(tx, this, `${kind} ${request.id}`, { account_id: accountId, id: request.id, kind });
      }
      return due.length;
    });
  }

  /** Sends one mail, unless it was sent before or its time is over. @throws MailFailure when it is worth another try */
  async run(job: PaymentMailJob, signal: AbortSignal): Promise<void> {
    const { account_id: accountId, id, kind } = job;
    const request = await this.repository.find(id, accountId);
    const payee = await this.accounts.find(accountId);
    if (request === null || payee === null || !isWanted(kind, { request, payee }, this.clock.now())) return;
    try {
      await this.mailer.send(
        {
          ...this.mail.letter(kind, { request, payee }),
          event: `${kind}.${id}`,
          to: request.customerEmail,
          sender: payee.name,
          replyTo: payee.email,
        },
        signal,
      );
    } catch (error) {
      if (!(error instanceof MailFailure && error.permanent)) throw error;
      this.log.failure(`The mail server refuses the ${kind} of ${id} for good`, error);
      return;
    }
    await this.note(job, signal);
  }

  /** What is not noted is sent again, so a database that is away is waited for while the job may take. */
  private async note(
    { account_id: accountId, id, kind }: PaymentMailJob,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      try {
        return await this.database.atomically(null, async (tx, now) =>
          this.repository.noteMailed(tx, accountId, id, kind, now),
        );
      } catch (error) {
        if (!isUnavailable(error) || signal.aborted) throw error;
        await delay(SECOND_MS);
      }
    }
  }
}

/** A suspended account takes no payment, so none is asked for in its name; who paid gets the receipt all the same. */
function isWanted(kind: MailKind, { request, payee }: Bill, now: Date): boolean {
  if (request.mailKind(now) !== kind || request.wasMailed(kind)) return false;
  return kind === 'receipt' || payee.status !== 'suspended';
}
