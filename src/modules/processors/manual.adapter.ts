import type { InitialState, NewTransactionFacts } from './payment-processor';
import { initialStateWithoutProcessor, PaymentProcessor } from './payment-processor';

/** Money moves outside the service, and an admin or a platform system reports the outcome. */
export class ManualProcessor extends PaymentProcessor {
  readonly name = 'manual';
  readonly testMode = false;
  readonly paymentMethod = 'bank_transfer';

  initialState(transaction: NewTransactionFacts): InitialState {
    return initialStateWithoutProcessor(transaction);
  }
}
