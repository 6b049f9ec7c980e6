import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, SECOND_MS } from '../../../../kernel/clock';
import { Database } from '../../../../platform/database/database';
import { isUnavailable } from '../../../../platform/database/failures';
import { JobHandler } from '../../../../platform/jobs/job-queue';
import { Mailer, MailFailure } from '../../../../platform/mail/mailer';
import { Log } from '../../../../platform/telemetry/log';
import { PaymentLinks, PaymentRequestStore } from '../../../payment-requests';
import { PaymentProcessor } from '../../../processors';
import { isApplicable, PaymentEmailKind } from '../domain/payment-email';
import { PaymentEmailsRepository } from '../domain/payment-emails.repository';
import { PaymentEmailContent } from './payment-email-content';
import { PaymentEmailQuotas } from './payment-email-quotas';

/** The queue stores ids alone. The link and the address are read when the email is sent. */
interface PaymentEmailPayload {
  readonly account_id: string;
  /** The payment request. */
  readonly id: string;
  readonly kind: PaymentEmailKind;
  /** When the email was sent that this one repeats, ISO 8601; absent for the first one. */
  readonly last_sent_at?: string;
}

/** Sends one email to a customer. */
@Injectable()
export class PaymentEmailJob implements JobHandler<PaymentEmailPayload> {
  /** Queued jobs contain this name, so it must not change. */
  readonly name = 'payment-mail';
  /** With delays of up to six hours, the attempts take about a day. */
  readonly attempts = 13;
  private readonly content: PaymentEmailContent;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentEmailsRepository,
    private readonly requests: PaymentRequestStore,
    private readonly mailer: Mailer,
    private readonly quotas: PaymentEmailQuotas,
    private readonly clock: Clock,
    private readonly log: Log,
    links: PaymentLinks,
    { testMode }: PaymentProcessor,
  ) {
    this.content = new PaymentEmailContent(testMode, links);
  }

  /**
   * Sends the email unless it was sent before or no longer fits the payment request.
   * @throws MailFailure when a retry may succeed
   */
  async run(payload: PaymentEmailPayload, signal: AbortSignal): Promise<void> {
    const { account_id: accountId, id, kind, last_sent_at: lastSentAt } = payload;
    const context = await this.requests.find(accountId, id);
    if (context === null || !isApplicable(kind, context.request, this.clock.now())) return;
    const { request, payee } = context;
    // The customers of an account that takes no payments receive no requests. Receipts are still sent.
    if (kind === 'request' && !payee.isOpenFor('payment')) return;
    const sentAt = (await this.repository.find(accountId, id, kind))?.sentAt;
    if (sentAt && sentAt.toISOString() !== lastSentAt) return;
    const mail = {
      ...this.content.render(kind, context),
      event: [kind, id, ...(lastSentAt === undefined ? [] : [Date.parse(lastSentAt)])].join('.'),
      to: request.customerEmail,
      sender: payee.name,
      replyTo: payee.email,
    };
    try {
      await this.quotas.count(accountId, mail.to, () => this.mailer.send(mail, signal));
    } catch (error) {
      if (!(error instanceof MailFailure && error.permanent)) throw error;
      this.log.failure(`The mail server permanently rejected the ${kind} email for ${id}`, error);
      return;
    }
    await this.markSent(payload, signal);
  }

  /** An email that is not marked is sent again, so this waits for an unavailable database as long as the job may run. */
  private async markSent(
    { account_id: accountId, id, kind }: PaymentEmailPayload,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      try {
        return await this.database.transaction(async (tx, now) =>
          this.repository.markSent(tx, accountId, id, kind, now),
        );
      } catch (error) {
        if (!isUnavailable(error) || signal.aborted) throw error;
        await delay(SECOND_MS);
      }
    }
  }
}
