import { PaymentProvider } from '../../providers';
import { Birth } from '../domain/birth';
import { NewMovement, Processor } from '../domain/processor';
import { ManualProcessor } from './manual.processor';

/**
 * Customers pay at the provider, and a refund of such a payment is sent there. Everything else moves outside, as with
 * the manual processor.
 */
export class StripeProcessor extends ManualProcessor {
  /** A test key moves no real money, so its database is one of play money and never becomes another. */
  override readonly kind: Processor['kind'];

  constructor(private readonly provider: PaymentProvider) {
    super();
    this.kind = provider.playMoney ? 'sandbox' : 'live';
  }

  override begin(movement: NewMovement): Birth {
    if (movement.providerPayment === null) return super.begin(movement);
    this.provider.assertMovable(movement.amount, movement.currency);
    return { status: 'pending', end: null, byProvider: true };
  }
}
