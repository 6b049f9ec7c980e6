/**
 * Who may do what (interface 5, and what was decided beyond it): one row per operation of the OpenAPI document, and
 * below it the variations that are decided differently. One column per caller.
 *
 * Every operation is about one account that its owner, a user, created: about it, about what it owns (a pending
 * transaction, a pending payment request, a late payment, an active subscription, a live session) or about one of its
 * members.
 *
 *   anon      no token
 *   self      whom the operation is about: the user in the path, or else the account, signed in with its own email
 *   other     the owner of another account: every id that it sends is foreign to it
 *   untied    a user without an account
 *   member    another member of the account
 *   owner     the user who owns the account
 *   susp      the owner of a suspended account, about that account, signed in again since
 *   closed    a closed account, about itself, with the tokens it held when it was closed
 *   platform  a system that integrates payment rails
 *   admin     the back office
 *   expired   the owner, with an access token past its time
 *   revoked   the owner, with the tokens of a session that was ended
 *
 * A cell is the status of the answer; the code follows from it:
 *
 *   400 invalid_request   401 unauthorized   403 forbidden   404 not_found   409 conflict
 *   401c invalid_credentials    404a account_not_found    404s invalid_session    409b active_subscriptions
 *   200+ the answer shows what the row is about    200- it does not
 *
 * A refusal changes nothing of what the row is about, and neither does whatever `other` and `untied` may do.
 * "absent" is a well-formed id that nothing has; "malformed" is no id at all.
 */
export const matrix = `
                                       anon  self  other untied member owner susp  closed platform admin expired revoked

  Health
    getLiveness                        200   200   200   200    200    200   200   200    200      200   200     200
    getReadiness                       200   200   200   200    200    200   200   200    200      200   200     200

  Authentication (interface 4.1)
    login                              401c  200   200   200    200    200   200   401    200      200   200     200
    login, wrong password              401c  401c  401c  401c   401c   401c  401c  401c   401c     401c  401c    401c
    refreshTokens                      401   200   200   200    200    200   200   401    200      200   200     401
    changePassword                     401   200   200   200    200    200   200   401    200      200   401     401
    changePassword, wrong current one  401   401c  401c  401c   401c   401c  401c  401    401c     401c  401     401
    listSessions                       401   200+  200-  200-   200-   200-  200-  401    200-     200-  401     401
    endSession                         401   200   200   200    200    200   200   401    200      200   401     401
    endSession, the account's          401   200   404s  404s   404s   404s  404s  401    404s     404s  401     401
    endSession, absent                 401   404s  404s  404s   404s   404s  404s  401    404s     404s  401     401
    endSession, malformed              401   404s  404s  404s   404s   404s  404s  401    404s     404s  401     401

  Users (interface 4.2)
    createUser                         201   201   201   201    201    201   201   401    201      201   401     401
    createUser, with role              401   401   401   401    401    401   401   401    401      201   401     401
    createUser, with status            401   401   401   401    401    401   401   401    401      201   401     401
    createUser, with account_id        401   401   401   401    401    401   401   401    401      201   401     401
    createUser, with absent account_id 401   401   401   401    401    401   401   401    401      400   401     401
    listUsers                          401   200+  200-  403    403    200+  200+  401    200+     200+  401     401
    getUser                            401   200   404   404    404    200   200   401    200      200   401     401
    getUser, absent                    401   404   404   404    404    404   404   401    404      404   401     401
    getUser, malformed                 401   404   404   404    404    404   404   401    404      404   401     401
    updateUser                         401   200   404   404    404    401   401   401    401      200   401     401
    updateUser, nothing                401   200   404   404    404    401   401   401    401      200   401     401
    updateUser, password               401   200   404   404    404    401   401   401    401      200   401     401
    updateUser, status                 401   200   404   404    404    401   401   401    401      200   401     401
    updateUser, role                   401   401   404   404    404    401   401   401    401      200   401     401
    updateUser, absent                 401   404   404   404    404    404   404   401    404      404   401     401
    updateUser, malformed              401   404   404   404    404    404   404   401    404      404   401     401
    deleteUser                         401   200   403   403    403    200   200   401    403      200   401     401
    deleteUser, absent                 401   403   403   403    403    403   403   401    403      404   401     401
    deleteUser, malformed              401   403   403   403    403    403   403   401    403      404   401     401

  Accounts (interface 4.3, and the back office)
    createAccount                      201   201   201   201    201    201   201   401    201      201   401     401
    listAccounts                       401   403   403   403    403    403   403   401    200+     200+  401     401
    getOwnAccount                      401   200+  200-  403    200+   200+  200+  401    403      403   401     401
    updateOwnAccount                   401   200   200   401    401    200   200   401    401      401   401     401
    updateOwnAccount, nothing          401   200   200   401    401    200   200   401    401      401   401     401
    closeOwnAccount                    401   200   200   403    403    200   200   401    403      403   401     401
    closeOwnAccount, subscribed        401   409b  200   403    403    409b  409b  401    403      403   401     401
    getAccount                         401   403   403   403    403    403   403   401    200      200   401     401
    getAccount, absent                 401   403   403   403    403    403   403   401    404      404   401     401
    getAccount, malformed              401   403   403   403    403    403   403   401    404      404   401     401
    updateAccount                      401   403   403   403    403    403   403   401    403      200   401     401
    updateAccount, status              401   403   403   403    403    403   403   401    403      200   401     401
    updateAccount, absent              401   403   403   403    403    403   403   401    403      404   401     401
    updateAccount, malformed           401   403   403   403    403    403   403   401    403      404   401     401
    closeAccount                       401   403   403   403    403    403   403   401    403      200   401     401
    closeAccount, subscribed           401   403   403   403    403    403   403   401    403      409b  401     401
    closeAccount, absent               401   403   403   403    403    403   403   401    403      404   401     401
    closeAccount, malformed            401   403   403   403    403    403   403   401    403      404   401     401
    getOwnBalance                      401   200+  200-  403    200+   200+  200+  401    403      403   401     401
    getOwnBalance, as_of               401   200+  200-  403    200+   200+  200+  401    403      403   401     401
    getBalance                         401   403   403   403    403    403   403   401    200+     200+  401     401
    getBalance, as_of                  401   403   403   403    403    403   403   401    200+     200+  401     401
    getBalance, absent                 401   403   403   403    403    403   403   401    404      404   401     401
    getBalance, malformed              401   403   403   403    403    403   403   401    404      404   401     401

  Transactions (interface 4.4)
    createTransaction                  401   201   404   404    201    201   403   401    201      201   401     401
    createTransaction, absent account  401   404   404   404    404    404   404   401    404      404   401     401
    createTransaction, malformed one   401   404   404   404    404    404   404   401    404      404   401     401
    listTransactions                   401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listTransactions, account_id       401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listTransactions, absent account   401   200-  200-  200-   200-   200-  200-  401    200-     200-  401     401
    listTransactions, starting_after   401   200   400   400    200    200   200   401    200      200   401     401
    listTransactions, ending_before    401   200   400   400    200    200   200   401    200      200   401     401
    listTransactions, absent cursor    401   400   400   400    400    400   400   401    400      400   401     401
    getTransaction                     401   200   404   404    200    200   200   401    200      200   401     401
    getTransaction, absent             401   404   404   404    404    404   404   401    404      404   401     401
    getTransaction, malformed          401   404   404   404    404    404   404   401    404      404   401     401
    updateTransaction                  401   200   404   404    200    200   200   401    200      200   401     401
    updateTransaction, amount          401   409   409   409    409    409   409   401    409      409   401     401
    updateTransaction, absent          401   404   404   404    404    404   404   401    404      404   401     401
    cancelTransaction                  401   200   404   404    200    200   200   401    200      200   401     401
    cancelTransaction, absent          401   404   404   404    404    404   404   401    404      404   401     401
    settleTransaction                  401   403   403   403    403    403   403   401    200      200   401     401
    settleTransaction, absent          401   403   403   403    403    403   403   401    404      404   401     401
    settleTransaction, malformed       401   403   403   403    403    403   403   401    404      404   401     401

  Payment requests (interface 4.5)
    createPaymentRequest               401   201   404a  404a   201    201   403   401    201      201   401     401
    createPaymentRequest, absent acc.  401   404a  404a  404a   404a   404a  404a  401    404a     404a  401     401
    createPaymentRequest, malformed    401   404a  404a  404a   404a   404a  404a  401    404a     404a  401     401
    listPaymentRequests                401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listPaymentRequests, account_id    401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listPaymentRequests, starting_after 401  200   400   400    200    200   200   401    200      200   401     401
    listPaymentRequests, ending_before 401   200   400   400    200    200   200   401    200      200   401     401
    getPaymentRequest                  401   200   404   404    200    200   200   401    200      200   401     401
    getPaymentRequest, absent          401   404   404   404    404    404   404   401    404      404   401     401
    getPaymentRequestStatus            401   200   404   404    200    200   200   401    200      200   401     401
    getPaymentRequestStatus, absent    401   404   404   404    404    404   404   401    404      404   401     401
    getPaymentRequestStatus, malformed 401   404   404   404    404    404   404   401    404      404   401     401
    cancelPaymentRequest               401   200   404   404    200    200   200   401    200      200   401     401
    cancelPaymentRequest, absent       401   404   404   404    404    404   404   401    404      404   401     401
    settlePaymentRequest               401   403   403   403    403    403   403   401    200      200   401     401
    settlePaymentRequest, other amount 401   403   403   403    403    403   403   401    400      400   401     401
    settlePaymentRequest, absent       401   403   403   403    403    403   403   401    404      404   401     401
    recordLatePayment                  401   403   403   403    403    403   403   401    201      201   401     401
    recordLatePayment, right amount    401   403   403   403    403    403   403   401    409      409   401     401
    recordLatePayment, absent          401   403   403   403    403    403   403   401    404      404   401     401
    recordLatePayment, malformed       401   403   403   403    403    403   403   401    404      404   401     401

  Late payments
    listLatePayments                   401   403   403   403    403    403   403   401    200+     200+  401     401
    listLatePayments, account_id       401   403   403   403    403    403   403   401    200+     200+  401     401
    listLatePayments, absent account   401   403   403   403    403    403   403   401    200-     200-  401     401
    listLatePayments, absent cursor    401   403   403   403    403    403   403   401    400      400   401     401
    getLatePayment                     401   403   403   403    403    403   403   401    200      200   401     401
    getLatePayment, absent             401   403   403   403    403    403   403   401    404      404   401     401
    getLatePayment, malformed          401   403   403   403    403    403   403   401    404      404   401     401
    resolveLatePayment                 401   403   403   403    403    403   403   401    200      200   401     401
    resolveLatePayment, retry          401   403   403   403    403    403   403   401    409      409   401     401
    resolveLatePayment, absent         401   403   403   403    403    403   403   401    404      404   401     401
    resolveLatePayment, malformed      401   403   403   403    403    403   403   401    404      404   401     401

  Subscriptions (beyond the interface)
    createSubscription                 401   201   404a  404a   201    201   403   401    201      201   401     401
    createSubscription, absent account 401   404a  404a  404a   404a   404a  404a  401    404a     404a  401     401
    createSubscription, malformed one  401   404a  404a  404a   404a   404a  404a  401    404a     404a  401     401
    listSubscriptions                  401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listSubscriptions, account_id      401   200+  200-  200-   200+   200+  200+  401    200+     200+  401     401
    listSubscriptions, starting_after  401   200   400   400    200    200   200   401    200      200   401     401
    listSubscriptions, ending_before   401   200   400   400    200    200   200   401    200      200   401     401
    getSubscription                    401   200   404   404    200    200   200   401    200      200   401     401
    getSubscription, absent            401   404   404   404    404    404   404   401    404      404   401     401
    getSubscription, malformed         401   404   404   404    404    404   404   401    404      404   401     401
    cancelSubscription                 401   200   404   404    200    200   200   401    200      200   401     401
    cancelSubscription, absent         401   404   404   404    404    404   404   401    404      404   401     401
`;

export const columns = [
  'anon',
  'self',
  'other',
  'untied',
  'member',
  'owner',
  'susp',
  'closed',
  'platform',
  'admin',
  'expired',
  'revoked',
] as const;
export type Column = (typeof columns)[number];

export interface Row {
  /** The operation, and the variation behind a comma. */
  readonly label: string;
  readonly operationId: string;
  readonly cells: Readonly<Record<Column, string>>;
}

/** @throws Error for a row that does not fill the columns, and for a row that stands there twice */
export function readMatrix(text: string): Row[] {
  const [heading, ...lines] = text
    .split('\n')
    .filter((line) => /\d|anon/.test(line) && !/\(interface/.test(line));
  if (heading!.trim().split(/\s+/).join() !== columns.join())
    throw new Error('The columns are not those of the table.');
  const rows = lines.map(readRow);
  const twice = rows.find(({ label }, index) => rows.findIndex((row) => row.label === label) < index);
  if (twice) throw new Error(`"${twice.label}" stands in the table twice.`);
  return rows;
}

function readRow(line: string): Row {
  const [, label, cells] = /^\s+(\S.*?)\s+((?:\d{3}\S?\s*)+)$/.exec(line) ?? [];
  const values = cells?.trim().split(/\s+/) ?? [];
  if (label === undefined || values.length !== columns.length)
    throw new Error(`"${line.trim()}" is no row of the table.`);
  const named = columns.map((column, index) => [column, values[index]]);
  return { label, operationId: label.split(',')[0]!, cells: Object.fromEntries(named) as Row['cells'] };
}
