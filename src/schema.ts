import { Initial1795132800000 } from '../migrations/1795132800000-initial';
import { Journal1795140000000 } from '../migrations/1795140000000-journal';
import { SessionExpiry1795150000000 } from '../migrations/1795150000000-session-expiry';
import { Checkout1795160000000 } from '../migrations/1795160000000-checkout';
import { Subscriptions1795170000000 } from '../migrations/1795170000000-subscriptions';
import { Mail1795180000000 } from '../migrations/1795180000000-mail';
import { HostedCheckout1795190000000 } from '../migrations/1795190000000-hosted-checkout';
import { StandardTerms1795300000000 } from '../migrations/1795300000000-standard-terms';
import { PaymentRequestOfTransactions1795300200000 } from '../migrations/1795300200000-payment-request-of-transactions';
import { PaymentModules1795320000000 } from '../migrations/1795320000000-payment-modules';
import { StandardValues1795330000000 } from '../migrations/1795330000000-standard-values';
import { AuditLog1795400000000 } from '../migrations/1795400000000-audit-log';
import { SharedLimits1795400100000 } from '../migrations/1795400100000-shared-limits';
import { SessionNetworks1795400100010 } from '../migrations/1795400100010-session-networks';
import { SecondFactors1795400200000 } from '../migrations/1795400200000-second-factors';
import { SessionAuthentication1795400300000 } from '../migrations/1795400300000-session-authentication';
import { PasswordResets1795400300010 } from '../migrations/1795400300010-password-resets';
import { PasswordResetSubjects1795400300020 } from '../migrations/1795400300020-password-reset-subjects';
import { ListIndexes1795400500000 } from '../migrations/1795400500000-list-indexes';
import { PageLists1795400600000 } from '../migrations/1795400600000-page-lists';
import { ApiKeys1795400700000 } from '../migrations/1795400700000-api-keys';
import { Events1795400800000 } from '../migrations/1795400800000-events';
import { Webhooks1795400900000 } from '../migrations/1795400900000-webhooks';
import { SimulatedPayments1795401100000 } from '../migrations/1795401100000-simulated-payments';
import { ApiKeyEvents1795401200000 } from '../migrations/1795401200000-api-key-events';
import { EmailTraces1795401200010 } from '../migrations/1795401200010-email-traces';
import { ListFilters1796002000000 } from '../migrations/1796002000000-list-filters';
import { Notes1796003000000 } from '../migrations/1796003000000-notes';
import { Adjustments1796003100000 } from '../migrations/1796003100000-adjustments';
import { Approvals1796003200000 } from '../migrations/1796003200000-approvals';
import { SearchOfUsers1796006000000 } from '../migrations/1796006000000-search-of-users';
import { DailyTotals1796007000000 } from '../migrations/1796007000000-daily-totals';
import { TotalsIndexes1796007100000 } from '../migrations/1796007100000-totals-indexes';
import { RefundsOfPayments1796008000000 } from '../migrations/1796008000000-refunds-of-payments';
import { PasswordsSetByOthers1796010000000 } from '../migrations/1796010000000-passwords-set-by-others';
import { FirstReferences1796011000000 } from '../migrations/1796011000000-first-references';
import { NotesById1796012000000 } from '../migrations/1796012000000-notes-by-id';
import { AuditLogLists1796013000000 } from '../migrations/1796013000000-audit-log-lists';
import { WebhookEndpointOrder1796013100000 } from '../migrations/1796013100000-webhook-endpoint-order';
import { UsersOfAccounts1796014000000 } from '../migrations/1796014000000-users-of-accounts';
import { ExpiredSessionsAndKeys1796015000000 } from '../migrations/1796015000000-expired-sessions-and-keys';
import { RefundsByFilters1796016000000 } from '../migrations/1796016000000-refunds-by-filters';
import { AuditLogRecentLag1796017000000 } from '../migrations/1796017000000-audit-log-recent-lag';
import { DeliveryTurns1796020000000 } from '../migrations/1796020000000-delivery-turns';
import { LoginChanges1796022000000 } from '../migrations/1796022000000-login-changes';
import { ApprovedTransactions1796022100000 } from '../migrations/1796022100000-approved-transactions';
import { VerifiedEmails1796023000000 } from '../migrations/1796023000000-verified-emails';
import { AuditLogSealing1796024000000 } from '../migrations/1796024000000-audit-log-sealing';
import { AuditLogIndexes1796024100000 } from '../migrations/1796024100000-audit-log-indexes';
import { WebhookEndpointsOfApiKeys1796025000000 } from '../migrations/1796025000000-webhook-endpoints-of-api-keys';
import { ConsoleSessions1796026000000 } from '../migrations/1796026000000-console-sessions';
import { CountedTransactions1796027000000 } from '../migrations/1796027000000-counted-transactions';
import { WebhookEndpointsByApiKey1796027100000 } from '../migrations/1796027100000-webhook-endpoints-by-api-key';
import { EmailAttempts1796028000000 } from '../migrations/1796028000000-email-attempts';

/** The migrations of the service, in order. */
export const coreMigrations = [
  Initial1795132800000,
  Journal1795140000000,
  SessionExpiry1795150000000,
  Checkout1795160000000,
  Subscriptions1795170000000,
  Mail1795180000000,
  HostedCheckout1795190000000,
  StandardTerms1795300000000,
  PaymentRequestOfTransactions1795300200000,
  PaymentModules1795320000000,
  StandardValues1795330000000,
  AuditLog1795400000000,
  SharedLimits1795400100000,
  SessionNetworks1795400100010,
  SecondFactors1795400200000,
  SessionAuthentication1795400300000,
  PasswordResets1795400300010,
  PasswordResetSubjects1795400300020,
  ListIndexes1795400500000,
  PageLists1795400600000,
  ApiKeys1795400700000,
  Events1795400800000,
  Webhooks1795400900000,
  SimulatedPayments1795401100000,
  ApiKeyEvents1795401200000,
  EmailTraces1795401200010,
  ListFilters1796002000000,
  Notes1796003000000,
  Adjustments1796003100000,
  Approvals1796003200000,
  SearchOfUsers1796006000000,
  DailyTotals1796007000000,
  TotalsIndexes1796007100000,
  RefundsOfPayments1796008000000,
  PasswordsSetByOthers1796010000000,
  FirstReferences1796011000000,
  NotesById1796012000000,
  AuditLogLists1796013000000,
  WebhookEndpointOrder1796013100000,
  UsersOfAccounts1796014000000,
  ExpiredSessionsAndKeys1796015000000,
  RefundsByFilters1796016000000,
  AuditLogRecentLag1796017000000,
  DeliveryTurns1796020000000,
  LoginChanges1796022000000,
  ApprovedTransactions1796022100000,
  VerifiedEmails1796023000000,
  AuditLogSealing1796024000000,
  AuditLogIndexes1796024100000,
  WebhookEndpointsOfApiKeys1796025000000,
  ConsoleSessions1796026000000,
  CountedTransactions1796027000000,
  WebhookEndpointsByApiKey1796027100000,
  EmailAttempts1796028000000,
];
