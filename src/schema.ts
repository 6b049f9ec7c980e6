import { Initial1795132800000 } from '../migrations/1795132800000-initial';
import { Journal1795140000000 } from '../migrations/1795140000000-journal';
import { SessionExpiry1795150000000 } from '../migrations/1795150000000-session-expiry';
import { Checkout1795160000000 } from '../migrations/1795160000000-checkout';
import { Subscriptions1795170000000 } from '../migrations/1795170000000-subscriptions';
import { Mail1795180000000 } from '../migrations/1795180000000-mail';
import { HostedCheckout1795190000000 } from '../migrations/1795190000000-hosted-checkout';
import { accountSchema } from './modules/accounts/infrastructure/account.schema';
import { credentialSchema } from './modules/auth/infrastructure/credential.schema';
import { refreshTokenSchema, sessionSchema } from './modules/auth/infrastructure/session.schema';
import { latePaymentSchema } from './modules/late-payments/infrastructure/late-payment.schema';
import { entrySchema } from './modules/ledger/infrastructure/entry.schema';
import { paymentRequestSchema } from './modules/payment-requests/infrastructure/payment-request.schema';
import { subscriptionSchema } from './modules/subscriptions/infrastructure/subscription.schema';
import { transactionSchema } from './modules/transactions/infrastructure/transaction.schema';
import { userSchema } from './modules/users/infrastructure/user.schema';

/** Every mapped table and every migration, in order. Named one by one, so that none is missed or picked up by chance. */
export const schema = {
  entities: [
    credentialSchema,
    sessionSchema,
    refreshTokenSchema,
    userSchema,
    accountSchema,
    entrySchema,
    transactionSchema,
    paymentRequestSchema,
    subscriptionSchema,
    latePaymentSchema,
  ],
  migrations: [
    Initial1795132800000,
    Journal1795140000000,
    SessionExpiry1795150000000,
    Checkout1795160000000,
    Subscriptions1795170000000,
    Mail1795180000000,
    HostedCheckout1795190000000,
  ],
};
