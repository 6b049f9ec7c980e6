import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { HostedCheckouts } from '../checkout/hosted-checkouts.service';
import { PaymentContext } from '../domain/payment-context';
import { PaymentRequestStore } from '../application/payment-request-store.service';
import { SandboxChoice, SimulatedPayments } from '../application/simulated-payments.service';
import { UnappliedPayments } from '../unapplied-payments/unapplied-payments.service';
import { choosePageState, PageState } from './page-state';

/** The use cases of the payment page. Anyone who knows the secret of a payment request may view and pay it. */
@Injectable()
export class CustomerPayments {
  constructor(
    private readonly database: Database,
    private readonly requests: PaymentRequestStore,
    private readonly simulated: SimulatedPayments,
    private readonly checkouts: HostedCheckouts,
    private readonly unappliedPayments: UnappliedPayments,
    private readonly clock: Clock,
  ) {}

  /** Changes nothing, because mail scanners and link previews open pages too. @returns null for an unknown secret */
  find(secret: string): Promise<PaymentContext | null> {
    return this.requests.findBySecret(secret);
  }

  /** If an unapplied payment exists for a request that has ended, the page announces the return of the money. */
  async pageState(context: PaymentContext): Promise<PageState> {
    const state = choosePageState(context, this.clock.now());
    const hasEnded = state === 'canceled' || state === 'expired' || state === 'failed';
    if (!hasEnded) return state;
    const { accountId, id } = context.request;
    const isUnapplied = await this.database.runFor(accountId, () =>
      this.unappliedPayments.existsFor(accountId, id),
    );
    return isUnapplied ? 'unapplied' : state;
  }

  /** Whether the customer may be paying on the processor's page at the moment. */
  hasLiveCheckout({ request }: PaymentContext): Promise<boolean> {
    return this.database.runFor(request.accountId, () => this.checkouts.isLive(request));
  }

  /** Does what the customer chooses where payments are simulated. @throws DomainError as `SimulatedPayments.choose` */
  simulateOutcome({ request }: PaymentContext, choice: SandboxChoice): Promise<void> {
    return this.database.runFor(request.accountId, () => this.simulated.choose(request, choice));
  }

  /**
   * Starts or resumes the checkout at the processor.
   * @param pageUrl the payment page, to which the customer returns
   * @returns the URL of the processor's page, or null when the request cannot be paid
   * @throws DomainError as `HostedCheckouts.start`
   */
  startCheckout({ request }: PaymentContext, pageUrl: string): Promise<string | null> {
    return this.database.runFor(request.accountId, () => this.checkouts.start(request, pageUrl));
  }
}
