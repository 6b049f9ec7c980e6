import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { PaymentProcessor } from '../../../processors';
import { HostedCheckouts } from '../../checkout/application/hosted-checkouts.service';
import { PaymentContext } from '../../domain/payment-context';
import { PaymentLinks } from '../../domain/payment-links';
import { PaymentRequestStore } from '../../domain/payment-request-store';
import { SimulatedOutcome, SimulatedPayments } from '../../domain/simulated-payments';
import { UnappliedPayments } from '../../unapplied-payments/domain/unapplied-payments';
import { PageState, choosePageState } from './page-state';

/** What a visitor of the page chooses in the sandbox. */
export interface SandboxChoice {
  readonly outcome: Extract<SimulatedOutcome, 'succeeded' | 'declined'>;
  /** The number of declined attempts that the page showed, so that a decline submitted twice counts once. */
  readonly declinesSeen: number;
}

/** The use cases of the payment page. Anyone who knows the secret of a payment request may view and pay it. */
@Injectable()
export class CustomerPayments {
  constructor(
    private readonly database: Database,
    private readonly requests: PaymentRequestStore,
    private readonly simulated: SimulatedPayments,
    private readonly checkouts: HostedCheckouts,
    private readonly unappliedPayments: UnappliedPayments,
    private readonly processor: PaymentProcessor,
    private readonly links: PaymentLinks,
    private readonly clock: Clock,
  ) {}

  /** Changes nothing, because mail scanners and link previews open pages too. @returns null for an unknown secret */
  find(secret: string): Promise<PaymentContext | null> {
    return this.requests.findBySecret(secret);
  }

  /** If an unapplied payment exists for a request that has ended, the page announces the return of the money. */
  async stateOf(context: PaymentContext): Promise<PageState> {
    const { request } = context;
    const state = choosePageState(context, this.clock.now());
    const hasEnded = state === 'canceled' || state === 'expired' || state === 'failed';
    if (!hasEnded) return state;
    const { accountId, id } = request;
    const isUnapplied = await this.database.runFor(accountId, () =>
      this.unappliedPayments.existsFor(accountId, id),
    );
    return isUnapplied ? 'unapplied' : state;
  }

  /** Whether the customer may be paying on the processor's page at the moment. */
  hasLiveCheckout({ request }: PaymentContext): Promise<boolean> {
    return this.database.runFor(request.accountId, () => this.checkouts.isLive(request));
  }

  /**
   * Pays the request or declines an attempt, where the processor only simulates payments. Has no effect on a request
   * that has ended.
   * @throws DomainError `forbidden` when the account takes no payments; `invalid_request` above its largest balance
   */
  async simulateOutcome(
    { request: { accountId, id } }: PaymentContext,
    { outcome, declinesSeen }: SandboxChoice,
  ): Promise<void> {
    if (this.processor.paymentMethod !== 'simulation') return;
    const apply = (tx: Tx, now: Date): Promise<void> =>
      this.requests.update(tx, accountId, id, now, async (context) => {
        const { request } = context;
        request.expireIfDue(now);
        const isRepeated = outcome === 'declined' && declinesSeen !== request.declines;
        if (request.status !== 'pending' || isRepeated) return;
        await this.simulated.apply(tx, context, outcome, now);
      });
    await this.database.runFor(accountId, () => this.database.transaction(apply, accountId));
  }

  /**
   * Starts or resumes the checkout at the processor.
   * @returns the URL of the processor's page, or null when the request cannot be paid
   * @throws DomainError as `HostedCheckouts.start`
   */
  startCheckout({ request }: PaymentContext): Promise<string | null> {
    const pageUrl = this.links.to(request.secret);
    return this.database.runFor(request.accountId, () => this.checkouts.start(request, pageUrl));
  }
}
