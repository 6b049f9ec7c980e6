import { Injectable } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { AuditTrail } from '../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../platform/database/database';
import { Mailer } from '../../platform/mail/mailer';
import { currentTrace } from '../../platform/telemetry/spans';
import { AccountReader } from '../accounts';
import { Principal, seesAllAccounts } from '../auth';
import { PaymentRequest, PaymentRequests } from '../payment-requests';
import { isApplicable, PAYMENT_EMAIL_KINDS, PaymentEmail, PaymentEmailKind } from './due-emails';
import { PaymentEmailsRepository } from './emails.repository';

/** How long after an email the same one is not sent again. The quotas of emails apply as well. */
const PAUSE_MS = 10 * MINUTE_MS;

export interface RepeatedEmail {
  readonly paymentRequestId: string;
  readonly kind: PaymentEmailKind;
}

/** Sends the email about a payment request again, for a customer who has lost it. */
@Injectable()
export class RepeatedPaymentEmails {
  constructor(
    private readonly database: Database,
    private readonly requests: PaymentRequests,
    private readonly accounts: AccountReader,
    private readonly repository: PaymentEmailsRepository,
    private readonly mailer: Mailer,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Makes the email due that fits the request now: that with the link, or the receipt. One that still waits is not sent
   * twice.
   * @throws DomainError `not_found`; `forbidden` while the account is suspended; `conflict` for a request that has ended
   * unpaid, and without a mail server; `rate_limited` soon after the last one
   */
  async send(
    caller: Principal,
    id: string,
    operation: IdempotentOperation<RepeatedEmail>,
  ): Promise<StoredResponse> {
    const request = await this.requests.get(caller, id);
    const { accountId } = request;
    const account = await this.accounts.find(accountId);
    // The customers of a suspended account get no requests from anybody. Receipts are still sent.
    if (request.status !== 'succeeded' || !seesAllAccounts(caller)) account?.assertNotSuspended();
    if (!this.mailer.configured)
      throw new DomainError('conflict', 'The service sends no emails: no mail server is configured.');
    return this.database.idempotent(operation, async (tx, now) => {
      const kind = chooseEmail(request, now);
      const last = await this.repository.lock(tx, accountId, id, kind);
      if (last !== null) assertPaused(last, now);
      const next = PaymentEmail.create(request, kind, currentTrace(), now);
      if (last === null) this.repository.add(tx, next);
      else this.repository.repeat(tx, next);
      this.audit.recordByOperator(tx, caller, 'payment_request.send_email', request, { kind });
      return { paymentRequestId: id, kind };
    });
  }
}

/** @throws DomainError `conflict` */
function chooseEmail(request: PaymentRequest, now: Date): PaymentEmailKind {
  const kind = PAYMENT_EMAIL_KINDS.find((one) => isApplicable(one, request, now));
  if (kind !== undefined) return kind;
  throw new DomainError(
    'conflict',
    'The payment request has ended unpaid, so there is nothing to send. Create a new one.',
  );
}

/** @throws DomainError `rate_limited` */
function assertPaused({ sentAt }: PaymentEmail, now: Date): void {
  const waitMs = sentAt === null ? 0 : sentAt.getTime() + PAUSE_MS - now.getTime();
  if (waitMs > 0)
    throw new DomainError(
      'rate_limited',
      'The email was sent a moment ago. Wait ten minutes before you send it again.',
      Math.ceil(waitMs / SECOND_MS),
    );
}
