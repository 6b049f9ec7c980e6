import { Inject, Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Log } from '../../../platform/telemetry/log';
import { Account, Accounts } from '../../accounts';
import { isOperator, Principal } from '../../auth';
import { PaymentProvider, ProviderError, RefundReport } from '../../providers';
import { LatePayment } from '../domain/late-payment';
import { LatePaymentFilter, LatePaymentsRepository } from '../domain/late-payments.repository';

/** Money that came in, and why its payment request could not take it. */
export type LateMoney = Pick<
  LatePayment,
  'paymentRequestId' | 'amount' | 'currency' | 'providerReference' | 'reason'
>;

/** Payments that one round sends back. */
const PAYMENTS_PER_ROUND = 20;

/** Money that came too late: recorded, sent back where a provider can, and shown to the back office. */
@Injectable()
export class LatePayments {
  constructor(
    private readonly database: Database,
    private readonly repository: LatePaymentsRepository,
    private readonly accounts: Accounts,
    private readonly log: Log,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {}

  /** Whether a payment of a provider is on record as one that came too late. Only while the account is locked. */
  async isRecorded(tx: Tx, accountId: string, reference: string): Promise<boolean> {
    return (await this.repository.findByReference(tx, accountId, reference)) !== null;
  }

  /** Whether any money came too late for a payment request. */
  areThereFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    return this.repository.areThereFor(accountId, paymentRequestId);
  }

  /** Records it under an account that `tx` has locked. */
  async record(tx: Tx, account: Account, money: LateMoney, now: Date): Promise<LatePayment> {
    const { id, at } = account.issueId('late', now);
    const payment = LatePayment.create({ ...money, id, accountId: account.id }, at);
    this.repository.add(tx, payment);
    this.accounts.save(tx, account);
    return payment;
  }

  /** @throws Refusal `forbidden` for who is neither admin nor platform; `invalid_request` for an unknown cursor */
  async list(
    caller: Principal,
    filter: LatePaymentFilter,
    request: CursorRequest,
  ): Promise<CursorPage<LatePayment>> {
    assertBackOffice(caller);
    const cursor = request.startingAfter ?? request.endingBefore;
    if (cursor !== undefined && (await this.repository.find(cursor)) === null) {
      throw new Refusal('invalid_request', 'The cursor is no late payment.');
    }
    return this.repository.list(filter, request);
  }

  /** @throws Refusal `forbidden`, `not_found` */
  async get(caller: Principal, id: string): Promise<LatePayment> {
    assertBackOffice(caller);
    const payment = isId('late', id) ? await this.repository.find(id) : null;
    if (payment === null) throw notFound();
    return payment;
  }

  /**
   * A person has sent the money back, or wants the service to try once more.
   * @throws Refusal `forbidden`, `not_found`; `conflict` when it is not stuck, or nobody can be asked to send it back
   */
  async resolve(caller: Principal, id: string, outcome: 'returned' | 'retry'): Promise<LatePayment> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const payment = await this.repository.lock(tx, accountId, id);
      if (payment === null) throw notFound();
      if (outcome === 'returned') this.returnByHand(payment, now);
      else this.retry(payment, now);
      this.repository.save(tx, payment);
      return payment;
    });
  }

  /**
   * Sends back what is due, and asks again after what is on its way. A provider that does not answer is left alone until
   * the next sweep, or all other timed work would wait for it.
   * @returns whether more may be due
   */
  async returnDue(now: Date): Promise<boolean> {
    if (this.provider === null) return false;
    const due = await this.repository.due(now, PAYMENTS_PER_ROUND);
    for (const payment of due) if (!(await this.sendBack(this.provider, payment))) return false;
    return due.length === PAYMENTS_PER_ROUND;
  }

  /** Takes down what the provider says of sending it back. */
  async take(tx: Tx, accountId: string, id: string, report: RefundReport, now: Date): Promise<void> {
    const payment = await this.repository.lock(tx, accountId, id);
    if (payment === null) return;
    payment.take(report, now);
    this.repository.save(tx, payment);
  }

  private returnByHand(payment: LatePayment, now: Date): void {
    if (this.provider !== null && payment.dueAt !== null) {
      throw new Refusal(
        'conflict',
        'The service is sending it back, and it would go twice. Wait for the end.',
      );
    }
    payment.returnByHand(now);
  }

  private retry(payment: LatePayment, now: Date): void {
    if (this.provider === null || payment.providerReference === null) {
      throw new Refusal(
        'conflict',
        'No provider has this money. Send it back by hand and report `returned`.',
      );
    }
    payment.retry(now);
  }

  /** @returns whether there was an answer, unless another process was faster */
  private async sendBack(provider: PaymentProvider, { accountId, id }: LatePayment): Promise<boolean> {
    const payment = await this.begin(accountId, id);
    if (payment === null || payment.providerReference === null) return true;
    const { providerReference, currency, round } = payment;
    try {
      // All of it: whatever the customer paid goes back.
      const order = { accountId, id, round, payment: providerReference, amount: null, currency };
      const report = await provider.refund(order);
      await this.database.atomically(null, (tx, now) => this.take(tx, accountId, id, report, now));
      return true;
    } catch (error) {
      this.log.failure('A late payment could not be sent back', error);
      await this.miss(accountId, id);
      return !(error instanceof ProviderError);
    }
  }

  /** Notes the try before it is made, so that two processes do not make it and a crash is no reason to hurry. */
  private begin(accountId: string, id: string): Promise<LatePayment | null> {
    return this.database.atomically(null, async (tx, now) => {
      const payment = await this.repository.lock(tx, accountId, id);
      if (payment === null || payment.dueAt === null || payment.dueAt > now) return null;
      payment.try(now);
      this.repository.save(tx, payment);
      return payment;
    });
  }

  private miss(accountId: string, id: string): Promise<void> {
    return this.database.atomically(null, async (tx, now) => {
      const payment = await this.repository.lock(tx, accountId, id);
      if (payment?.status !== 'received') return;
      payment.missed(now);
      this.repository.save(tx, payment);
    });
  }
}

function assertBackOffice(caller: Principal): void {
  if (!isOperator(caller)) {
    throw new Refusal('forbidden', 'Only admins and platform systems see to late payments.');
  }
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such late payment.');
}
