// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.

export interface paths {
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Check whether the process is running */
    get: operations['getLiveness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Check whether the service can serve requests */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve the account of the token
     * @description API keys need the scope `account:read`.
     */
    get: operations['getOwnAccount'];
    put?: never;
    post?: never;
    /**
     * Close the account of the token permanently
     * @description For the owner; in production not while the account is suspended (`forbidden`). Pending transactions and payment requests are canceled, linked users are deleted, and all sessions end. The journal stays on record.
     */
    delete: operations['closeOwnAccount'];
    options?: never;
    head?: never;
    /**
     * Update the account of the token
     * @description For the owner, unless the account is suspended. Members that are not sent stay unchanged, also within `settings`. The currency is fixed once the account is in use.
     */
    patch: operations['updateOwnAccount'];
    trace?: never;
  };
  '/v1/account-invitations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Invite an account
     * @description For admins and platform systems. Creates an account without a password, and sends a link to set one, which works once, for seven days; later, `POST /v1/auth/password-reset` sends another. Without a mail server the response is `invalid_request`.
     */
    post: operations['inviteAccount'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/balance': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve the balance of the account of the token
     * @description API keys need the scope `transactions:read`.
     */
    get: operations['getOwnBalance'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/entries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the journal entries of the account of the token
     * @description API keys need the scope `transactions:read`.
     */
    get: operations['listOwnEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/statements/{period}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a statement of the account of the token
     * @description The balance at the start and at the end of a period that is over, and what was posted in between. It is made from the append-only journal, so it is the same whenever it is asked for. It is available one hour after the end of the period. A period that was over before the account was opened is `not_found`. API keys need the scope `transactions:read`.
     */
    get: operations['getOwnStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/version': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve the version of the API
     * @description With all versions and what has changed in them. API keys need the scope `account:read`.
     */
    get: operations['getOwnVersion'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change the version of the API
     * @description For the owner of an account. From the next request on, its sessions use the version where a request names none. API keys and webhook endpoints keep theirs.
     */
    patch: operations['updateOwnVersion'];
    trace?: never;
  };
  '/v1/accounts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List accounts
     * @description For the back office and platform systems. Newest first. API keys need the scope `transactions:read`.
     */
    get: operations['listAccounts'];
    put?: never;
    /**
     * Create an account
     * @description The account signs in with its own email and password. A caller of role `user` without an account becomes the owner.
     */
    post: operations['createAccount'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve any account
     * @description For the back office and platform systems. API keys need the scope `transactions:read`.
     */
    get: operations['getAccount'];
    put?: never;
    post?: never;
    /**
     * Close any account permanently
     * @description For admins. Where a second admin has to approve, an account with money in it cannot be closed so (`conflict`): see `POST /v1/approvals`.
     */
    delete: operations['closeAccount'];
    options?: never;
    head?: never;
    /**
     * Update any account
     * @description For admins. Suspending an account ends all of its sessions. The status that it has already changes nothing; send `If-Match` to be told of the changes of others.
     */
    patch: operations['updateAccount'];
    trace?: never;
  };
  '/v1/accounts/{account_id}/adjustments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Adjust an account's balance
     * @description For admins. Posts a correction to the journal; above the limit of the operator, it is `pending` until a second admin approves it. The balance never falls below zero (`insufficient_funds`). A closed account only takes debits (`forbidden`).
     */
    post: operations['createAdjustment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/balance': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve the balance of any account
     * @description For the back office and platform systems. API keys need the scope `transactions:read`.
     */
    get: operations['getBalance'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/entries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the journal entries of any account
     * @description For the back office and platform systems. API keys need the scope `transactions:read`.
     */
    get: operations['listEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/notes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the notes about the account
     * @description For admins and support people. Newest first.
     */
    get: operations['listAccountNotes'];
    put?: never;
    /**
     * Write a note about the account
     * @description For admins and support people. The account never sees it.
     */
    post: operations['createAccountNote'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/notes/{note_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Delete a note about the account
     * @description For admins.
     */
    delete: operations['deleteAccountNote'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Reset the lost second factor of an account
     * @description For owners who have lost their authenticator app and recovery codes. It also ends the sessions that were opened with the password. Only admins may call it, and not for themselves.
     */
    delete: operations['resetSecondFactorOfAccount'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the sessions that act for an account
     * @description For admins and support people. Contains the sessions of the account itself, of its owner and of its members.
     */
    get: operations['listAccountSessions'];
    put?: never;
    post?: never;
    /**
     * End all sessions that act for an account
     * @description For admins. The account, its owner and its members can log in again.
     */
    delete: operations['endAccountSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/sessions/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End one session that acts for an account
     * @description For admins.
     */
    delete: operations['endAccountSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/accounts/{account_id}/statements/{period}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a statement of any account
     * @description For the back office and platform systems. The balance at the start and at the end of a period that is over, and what was posted in between. It is made from the append-only journal, so it is the same whenever it is asked for. It is available one hour after the end of the period. A period that was over before the account was opened is `not_found`. API keys need the scope `transactions:read`.
     */
    get: operations['getStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/adjustments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List adjustments
     * @description For the back office and platform systems. Newest first. API keys need the scope `transactions:read`.
     */
    get: operations['listAdjustments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/adjustments/{adjustment_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve an adjustment
     * @description For the back office and platform systems. API keys need the scope `transactions:read`.
     */
    get: operations['getAdjustment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List API keys
     * @description For the owner of an account, and for admins. Without revoked and expired keys.
     */
    get: operations['listApiKeys'];
    put?: never;
    /**
     * Create an API key
     * @description For the owner of an account, and for admins, who create platform keys. The key is shown only in this response: a repeat with the same `Idempotency-Key` is a `conflict` that names the key by its id. Production requires a verified email (`forbidden`) and a login within the last 15 minutes (`unauthorized`).
     */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/api-keys/{api_key_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke an API key
     * @description For the owner of the account, and for admins. The next request with the key is rejected.
     */
    delete: operations['revokeApiKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/approvals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List approvals
     * @description For admins and support people. Newest first.
     */
    get: operations['listApprovals'];
    put?: never;
    /**
     * Ask for an approval
     * @description For admins. Another admin has 7 days to approve it. While one is pending for the same object, the response is `conflict`. It is also `conflict` to make an admin of a user whose password somebody else has set, until the link of a password reset replaces it.
     */
    post: operations['requestApproval'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/approvals/{approval_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve an approval
     * @description For admins and support people.
     */
    get: operations['getApproval'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/approvals/{approval_id}/approve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approve what another admin asked for
     * @description For admins other than the one who asked (`forbidden`). What was asked for takes effect with the approval or not at all: an error leaves the approval pending. A repeat has the same response; what another admin has decided is `conflict`.
     */
    post: operations['approveApproval'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/approvals/{approval_id}/reject': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Reject what an admin asked for
     * @description For admins. The one who asked withdraws it so. A repeat has the same response.
     */
    post: operations['rejectApproval'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit-log': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List audit log entries
     * @description For admins and support people. Newest first. For example, `?object_id=acc_…&action=account.suspend` returns who suspended an account, when and why.
     */
    get: operations['listAuditLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit-log/{audit_entry_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve an audit log entry
     * @description For admins and support people.
     */
    get: operations['getAuditEntry'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * See whether your email is verified
     * @description Lists the email of your user, that of the account whose password opened the session, and that of the account that you own.
     */
    get: operations['listOwnEmails'];
    put?: never;
    /**
     * Change the email
     * @description Changes the email of the user, the account or both that the session was opened with, and ends their other sessions. Asks for the current password, or for the code of the second factor if there is one. While the account is suspended it is `forbidden`.
     */
    post: operations['changeEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/email/verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Request a link to verify your email
     * @description Sends a link to each of your emails that is not verified. The page behind it asks for the password. A link works once, for 24 hours. Sign-ups and changes of an email send one as well. Without a mail server the response is `invalid_request`.
     */
    post: operations['requestEmailVerification'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/login': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log in
     * @description With a second factor, send its code as `otp`. Without it, the response is `otp_required`, and only if the password is right.
     */
    post: operations['login'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Retrieve the state of your second factor */
    get: operations['getSecondFactor'];
    put?: never;
    /**
     * Begin to set up a second factor
     * @description Returns a secret for an authenticator app. It takes effect with its confirmation. To replace a second factor, send a code of the current one as `otp`. Production requires a verified email (`forbidden`).
     */
    post: operations['enrolSecondFactor'];
    /**
     * Switch the second factor off
     * @description Deletes the second factor and ends your other sessions.
     */
    delete: operations['disableSecondFactor'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/otp/confirmation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Confirm the second factor
     * @description Switches the second factor on: logins require a code from now on, and your other sessions end.
     */
    post: operations['confirmSecondFactor'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/otp/recovery-codes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replace the recovery codes
     * @description Returns new recovery codes. The previous ones no longer work.
     */
    post: operations['replaceRecoveryCodes'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change the password
     * @description Changes the password of the user, the account or both that the session was opened with, and ends their other sessions. Asks for the current password, or for the code of the second factor if there is one.
     */
    post: operations['changePassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/password-reset': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Request a link to set a new password
     * @description Sends an email with a link if a user or an account with this email may log in, and with a link for each if both may. The response is the same if none does. A link works once, for one hour. An email that has been sent too many links within an hour gets no further one, with the same response. Without a mail server the response is `invalid_request`.
     */
    post: operations['requestPasswordReset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/password-reset/confirmation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Set a new password with the token of a link
     * @description For clients with a page of their own (`PASSWORD_RESET_URL`). Changes the password of the user or the account that the link is for, and ends all of its sessions. If the email was not verified before, it now is, and what a stranger may have set up is removed: the second factor, and of an account its API keys, webhook endpoints and members.
     */
    post: operations['resetPassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange a refresh token for new tokens
     * @description Each refresh token is valid for one use, and for a few seconds after it, so that a client can retry when a response was lost. A later use ends the session.
     */
    post: operations['refreshTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Log out
     * @description Ends the given session, or the current session by default. Its tokens become invalid immediately. To end another session, production requires a login within the last 15 minutes (`unauthorized`).
     */
    delete: operations['endSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/auth/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List your sessions */
    get: operations['listSessions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List events
     * @description The changes of the last 30 days, newest first: those of the token's account, or all for admins, and for platform systems all but those of approvals and API keys. An API key sees those that show what its other scopes read. To follow them, call it with `order=asc` and, in `starting_after`, the id of the last event that you have. API keys need the scope `events:read`.
     */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/events/{event_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve an event
     * @description API keys need the scope `events:read`.
     */
    get: operations['getEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List payment requests
     * @description Newest first: the payment requests of the token's account, or of all accounts for admins and platform systems. API keys need the scope `payment_requests:read`.
     */
    get: operations['listPaymentRequests'];
    put?: never;
    /**
     * Create a payment request
     * @description API keys need the scope `payment_requests:write`.
     */
    post: operations['createPaymentRequest'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments/{payment_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a payment request
     * @description API keys need the scope `payment_requests:read`.
     */
    get: operations['getPaymentRequest'];
    put?: never;
    post?: never;
    /**
     * Cancel a pending payment request
     * @description API keys need the scope `payment_requests:write`.
     */
    delete: operations['cancelPaymentRequest'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments/{payment_id}/email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send the email about a payment request again
     * @description The customer gets the email with the link of a pending payment request once more, or the receipt of a paid one. It can be sent ten minutes after the last one. API keys need the scope `payment_requests:write`.
     */
    post: operations['sendPaymentEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments/{payment_id}/settlement': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Settle a payment request
     * @description For admins and platform systems, when customers pay outside of the service. `succeeded` records the payment. A repeat of the same outcome returns the same response. An admin who reports a payment above the limit gets `conflict` where a second admin has to approve it: see `POST /v1/approvals`. API keys need the scope `payments:write`.
     */
    post: operations['settlePaymentRequest'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments/{payment_id}/status': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Poll the status of a payment request
     * @description API keys need the scope `payment_requests:read`.
     */
    get: operations['getPaymentRequestStatus'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/payments/{payment_id}/unapplied-payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Record an unapplied payment
     * @description For admins and platform systems, when customers pay outside of the service: a payment that cannot be applied, because the request has ended, is paid already or has another amount. The payment does not change the balance of the account. It is listed among the unapplied payments until it is returned. API keys need the scope `payments:write`.
     */
    post: operations['recordUnappliedPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/requests': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List requests to the API
     * @description Those of the token's account of the last 7 days, newest first, or of all accounts for admins and platform systems, without queries and bodies. Of each account and second, at most 100 changes and errors are kept, and one successful read; while a replica has more than 200 requests in a second, one of each account. API keys need the scope `requests:read`.
     */
    get: operations['listRequests'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/saved-views': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List saved views
     * @description For the back office and platform systems: their own views and those that others share. Newest first.
     */
    get: operations['listSavedViews'];
    put?: never;
    /**
     * Save the filters of a list
     * @description For the back office and platform systems. A user has at most 100 views, with different names on each page (`conflict`).
     */
    post: operations['createSavedView'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/saved-views/{view_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Delete a saved view
     * @description For its owner, and for admins if it is shared.
     */
    delete: operations['deleteSavedView'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/search': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Search by id, name, email or reference
     * @description Finds the accounts, users, transactions, payment requests, subscriptions, unapplied payments, adjustments and transfers that have exactly this id, email (of the customer, too) or reference, and the API key, webhook endpoint, approval, event, note or audit log entry with this id. The back office and platform systems search all accounts, others what they can read. Upper and lower case are the same in ids and emails; a reference is also found in capital letters, in small letters and capitalized. After these come the accounts and users whose name or email contains the text, and the transactions, payment requests and subscriptions whose reference does, if it has three letters or digits in a row, without regard to accents, case and apostrophes. Of older references, the text has to contain the last word with a digit (2041 of INV-2041), or without one the last word, or begin it. At most ten of each type are returned, newest first. An API key finds only the types that its other scopes open. API keys need the scope `transactions:read`.
     */
    get: operations['search'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/subscriptions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List subscriptions
     * @description Newest first: the subscriptions of the token's account, or of all accounts for admins and platform systems. API keys need the scope `subscriptions:read`.
     */
    get: operations['listSubscriptions'];
    put?: never;
    /**
     * Create a subscription
     * @description The first payment request is created at once, and then one each period, with the reference and metadata of the subscription. A subscription that starts on the 31st bills on the last day of shorter months. Periods in which the account is suspended are skipped. API keys need the scope `subscriptions:write`.
     */
    post: operations['createSubscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/subscriptions/{subscription_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a subscription
     * @description API keys need the scope `subscriptions:read`.
     */
    get: operations['getSubscription'];
    put?: never;
    post?: never;
    /**
     * Cancel an active subscription
     * @description The subscription stays on record, and its payment requests stay as they are. API keys need the scope `subscriptions:write`.
     */
    delete: operations['cancelSubscription'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/totals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve the totals of all accounts
     * @description For the back office and platform systems: the money that all accounts hold by currency, what came in and went out by day, how transactions ended, compared with the period before, and what waits: pending transactions, unapplied payments, failed deliveries and webhook endpoints that fail or are disabled. Sums above 2^53 - 1 are rounded. API keys need the scope `transactions:read`.
     */
    get: operations['getTotals'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transactions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List transactions
     * @description Newest first: the transactions of the token's account, or of all accounts for admins and platform systems. API keys need the scope `transactions:read`.
     */
    get: operations['listTransactions'];
    put?: never;
    /**
     * Create a payment, a credit or a refund
     * @description The processor decides the initial status. In the sandbox a payment settles after a delay, a credit and a refund settle at once; `metadata.sandbox_outcome` chooses another outcome. A pending refund holds its amount. What an admin creates above the limit is pending until a second admin approves it (`REQUIRE_APPROVALS`). API keys need the scope `transactions:write` or `credits:write` or `refunds:write`.
     */
    post: operations['createTransaction'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transactions/{transaction_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a transaction
     * @description API keys need the scope `transactions:read`.
     */
    get: operations['getTransaction'];
    put?: never;
    post?: never;
    /**
     * Cancel a pending transaction
     * @description The transaction stays on record. A settled transaction is refunded instead. API keys need the scope `transactions:write` or `credits:write` or `refunds:write`.
     */
    delete: operations['cancelTransaction'];
    options?: never;
    head?: never;
    /**
     * Update a transaction
     * @description The keys of `metadata` are merged: null removes a key, and `metadata: null` removes all. Amount, currency and type never change: sending one of them is `conflict`, whatever other members say, unless the body cannot be read as it was sent (a number beyond 2^53 - 1, a member that occurs twice), which is `invalid_request`. API keys need the scope `transactions:write` or `credits:write` or `refunds:write`.
     */
    patch: operations['updateTransaction'];
    trace?: never;
  };
  '/v1/transactions/{transaction_id}/settlement': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Report the outcome of a pending transaction
     * @description For admins and platform systems. Reporting the same outcome again returns the same response. An admin who reports above the limit that money has come in gets `conflict` where a second admin has to approve it: see `POST /v1/approvals`. API keys need the scope `transactions:write`.
     */
    post: operations['settleTransaction'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transactions/batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create up to 100 transactions
     * @description Each is checked and recorded as if it were created alone. An `atomic` batch fails with the error of its first transaction that cannot be created, whose number, from 0, is in the message. In an `independent` one each has its own status or error. Without an `idempotency_key`, a transaction has one made of the `Idempotency-Key` of the batch. API keys need the scope `transactions:write` or `credits:write` or `refunds:write`.
     */
    post: operations['createTransactions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transfers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List transfers
     * @description Newest first: the transfers of the token's account, in both directions, or for admins and platform systems those of all accounts, each once, as the account sees it that gives. API keys need the scope `transfers:read`.
     */
    get: operations['listTransfers'];
    put?: never;
    /**
     * Create a transfer
     * @description Moves money from one active account to another, or to up to 100 at once: all parts, or none. With `capture: later` the money is held, and reaches nobody until the transfer is captured. API keys need the scope `transfers:write`.
     */
    post: operations['createTransfer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transfers/{transfer_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a transfer
     * @description API keys need the scope `transfers:read`.
     */
    get: operations['getTransfer'];
    put?: never;
    post?: never;
    /**
     * Cancel a pending transfer
     * @description For the account that gives: its money is released. One that has succeeded is reversed. API keys need the scope `transfers:write`.
     */
    delete: operations['cancelTransfer'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transfers/{transfer_id}/capture': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Move the money that a pending transfer holds
     * @description For the account that gives. Sending the same capture again returns the same response. API keys need the scope `transfers:write`.
     */
    post: operations['captureTransfer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transfers/{transfer_id}/reversal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send money of a transfer back
     * @description For an account that received the money, and operators: creates a transfer back, of all that is left or of a part. API keys need the scope `transfers:write`.
     */
    post: operations['reverseTransfer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transfers/batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create up to 100 transfers
     * @description As `POST /v1/transactions/batch`: an `atomic` batch creates all transfers in their order, or none; in an `independent` one each has its own status or error. API keys need the scope `transfers:write`.
     */
    post: operations['createTransfers'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/unapplied-payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List unapplied payments
     * @description For the back office and platform systems. Newest first. API keys need the scope `payments:read`.
     */
    get: operations['listUnappliedPayments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/unapplied-payments/{unapplied_payment_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve an unapplied payment
     * @description For the back office and platform systems. API keys need the scope `payments:read`.
     */
    get: operations['getUnappliedPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/unapplied-payments/{unapplied_payment_id}/resolution': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resolve an unapplied payment
     * @description For admins and platform systems. `returned`: a person has returned the payment to the customer; a repeat has the same response. `retry`: the service tries again to return a payment that needs attention. While the service is returning the payment, the response is `conflict`. API keys need the scope `payments:write`.
     */
    post: operations['resolveUnappliedPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/user-invitations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Invite a user
     * @description Creates a user without a password, and sends a link to set one, which works once, for seven days; later, `POST /v1/auth/password-reset` sends another. An account owner invites a member of that account, an admin may set `role` and `account_id`; the rules of `POST /v1/users` hold. Without a mail server the response is `invalid_request`.
     */
    post: operations['inviteUser'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List users
     * @description Newest first. Admins and platform systems see all users, account owners see the users linked to their account.
     */
    get: operations['listUsers'];
    put?: never;
    /**
     * Create a user
     * @description Without a token, this is an open sign-up. With an account owner's token, the user becomes a member of that account, which has at most 1,000 users (`conflict`); production requires that the email of the account is verified (`forbidden`). Only admins may set `role`, `status` and `account_id`. Where a second admin has to approve, a new user cannot have the role `admin` (`conflict`): see `POST /v1/approvals`.
     */
    post: operations['createUser'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Retrieve a user */
    get: operations['getUser'];
    put?: never;
    post?: never;
    /** Delete a user permanently */
    delete: operations['deleteUser'];
    options?: never;
    head?: never;
    /**
     * Update a user
     * @description Changes only the given fields. A new password ends the other sessions of the user; a status other than `active` ends all sessions. While the account of the user is suspended, the user can change only the password (`forbidden`). Where a second admin has to approve, the role `admin` cannot be set (`conflict`; see `POST /v1/approvals`), nor the password of another admin (`forbidden`).
     */
    patch: operations['updateUser'];
    trace?: never;
  };
  '/v1/users/{user_id}/notes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the notes about the user
     * @description For admins and support people. Newest first.
     */
    get: operations['listUserNotes'];
    put?: never;
    /**
     * Write a note about the user
     * @description For admins and support people. The user never sees it.
     */
    post: operations['createUserNote'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users/{user_id}/notes/{note_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Delete a note about the user
     * @description For admins.
     */
    delete: operations['deleteUserNote'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users/{user_id}/otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Reset the lost second factor of a user
     * @description For owners who have lost their authenticator app and recovery codes. It also ends the sessions that were opened with the password. Only admins may call it, and not for themselves. Where approvals are required, nor for other admins (`forbidden`).
     */
    delete: operations['resetSecondFactorOfUser'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users/{user_id}/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the sessions of a user
     * @description For admins and support people.
     */
    get: operations['listUserSessions'];
    put?: never;
    post?: never;
    /**
     * End all sessions of a user
     * @description For admins. The user can log in again.
     */
    delete: operations['endUserSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/users/{user_id}/sessions/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End one session of a user
     * @description For admins.
     */
    delete: operations['endUserSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook-deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deliveries of all webhook endpoints
     * @description For the back office and platform systems: those of the last 30 days, newest first. API keys need the scope `webhooks:read`.
     */
    get: operations['listAllWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook-deliveries/redeliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver again what failed, to all webhook endpoints
     * @description For admins and platform systems: the failed deliveries that the body selects become pending with all of their attempts, one batch in each request, the latest first. Those of disabled endpoints stay failed. Repeat the request with `starting_after` until `last_id` is null. A repeat selects only what is still failed. API keys need the scope `webhooks:write`.
     */
    post: operations['redeliverAllFailedWebhooks'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhook endpoints
     * @description Newest first: the webhook endpoints of the token's account, or of all accounts for admins and platform systems. An API key sees, tests and changes only those that it has created, and sees only their deliveries; the others are `forbidden`. API keys need the scope `webhooks:read`.
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Create a webhook endpoint
     * @description From now on, the events of the account are delivered to the URL, signed as Standard Webhooks specifies. An account has at most 20 endpoints. Production requires a verified email (`forbidden`). One that an API key creates is disabled when the key is revoked or expires, unless a person has changed it before. API keys need the scope `webhooks:write`.
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a webhook endpoint
     * @description API keys need the scope `webhooks:read`.
     */
    get: operations['getWebhook'];
    put?: never;
    post?: never;
    /**
     * Delete a webhook endpoint
     * @description It gets no further events, and pending deliveries are dropped. API keys need the scope `webhooks:write`.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /**
     * Update, enable or disable a webhook endpoint
     * @description One that a person changes, for example by enabling it, no longer ends with the API key that created it. API keys need the scope `webhooks:write`.
     */
    patch: operations['updateWebhook'];
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deliveries of a webhook endpoint
     * @description Those of the last 30 days, newest first. API keys need the scope `webhooks:read`.
     */
    get: operations['listWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver an event again
     * @description The delivery becomes pending with all of its attempts, whatever its status is. API keys need the scope `webhooks:write`.
     */
    post: operations['redeliverWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/redeliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver again what failed
     * @description Failed deliveries become pending with all of their attempts: at most 10,000, the latest first. API keys need the scope `webhooks:write`.
     */
    post: operations['redeliverFailedWebhooks'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of a webhook endpoint
     * @description Deliveries are signed with the new secret and, for 24 hours, also with those that signed before. Only for the account itself. API keys need the scope `webhooks:write`.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/secret/expiration': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let the secret of a webhook endpoint expire
     * @description For admins, when a secret has leaked. Deliveries are signed with it for 24 more hours, in which the account has to rotate it. Nobody sees another secret. Production requires a login within the last 15 minutes (`unauthorized`).
     */
    post: operations['expireWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test a webhook endpoint
     * @description Sends an event of the type `webhook_endpoint.ping` at once, also to a disabled endpoint, and returns how the endpoint responded. At most 20 tests a minute. API keys need the scope `webhooks:write`.
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface webhooks {
  'account.activated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An account became active again. */
    post: operations['accountActivatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'account.closed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An account was closed. */
    post: operations['accountClosedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'account.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An account was created. */
    post: operations['accountCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'account.made_pending': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The status of an account became `pending`. */
    post: operations['accountMadePendingWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'account.suspended': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An account was suspended. */
    post: operations['accountSuspendedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'account.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The name, the email or the settings of an account were changed. */
    post: operations['accountUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'adjustment.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An admin asked for a correction that a second admin has to approve. */
    post: operations['adjustmentCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'adjustment.expired': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A correction was not approved in time. */
    post: operations['adjustmentExpiredWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'adjustment.posted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The balance of an account was corrected. */
    post: operations['adjustmentPostedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'adjustment.rejected': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A correction was rejected. */
    post: operations['adjustmentRejectedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'api_key.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An API key was created. */
    post: operations['apiKeyCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'api_key.revoked': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An API key was revoked, also by the closing of its account. */
    post: operations['apiKeyRevokedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'approval.approved': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A second admin approved it, and it took effect. */
    post: operations['approvalApprovedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'approval.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An admin asked for an approval. */
    post: operations['approvalCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'approval.expired': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Nobody decided it within 7 days. */
    post: operations['approvalExpiredWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'approval.rejected': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An admin rejected it. */
    post: operations['approvalRejectedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'payment_request.canceled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending payment request was canceled, or has expired. */
    post: operations['paymentRequestCanceledWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'payment_request.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A payment request was created, also by a subscription. */
    post: operations['paymentRequestCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'payment_request.failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A payment request failed. */
    post: operations['paymentRequestFailedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'payment_request.succeeded': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A payment request was paid. */
    post: operations['paymentRequestSucceededWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'payment_request.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The customer tried to pay a payment request, and the payment was declined. */
    post: operations['paymentRequestUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'subscription.canceled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A subscription was canceled. */
    post: operations['subscriptionCanceledWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'subscription.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A subscription was created. */
    post: operations['subscriptionCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'subscription.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A period of a subscription has begun. */
    post: operations['subscriptionUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transaction.canceled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending transaction was canceled. */
    post: operations['transactionCanceledWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transaction.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending transaction was created. */
    post: operations['transactionCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transaction.failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A transaction failed, perhaps at its creation. */
    post: operations['transactionFailedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transaction.succeeded': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A transaction succeeded, perhaps at its creation: its money has moved. */
    post: operations['transactionSucceededWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transaction.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A transaction was updated, or a second admin approved one that is still pending. */
    post: operations['transactionUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.canceled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending transfer was canceled. */
    post: operations['transferCanceledWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.captured': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The money of a pending transfer has moved, perhaps a part of it. */
    post: operations['transferCapturedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending transfer was created: it holds the money of the account that gives. */
    post: operations['transferCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.expired': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A pending transfer has expired. */
    post: operations['transferExpiredWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.reversed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Money of a transfer was sent back, by a transfer of its own. */
    post: operations['transferReversedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'transfer.succeeded': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A transfer succeeded at its creation: its money has moved. */
    post: operations['transferSucceededWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'unapplied_payment.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A payment arrived that could not be applied to its payment request. */
    post: operations['unappliedPaymentCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'unapplied_payment.needs_attention': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An unapplied payment could not be returned, and a person has to resolve it. */
    post: operations['unappliedPaymentNeedsAttentionWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'unapplied_payment.returned': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An unapplied payment was returned to the customer. */
    post: operations['unappliedPaymentReturnedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'unapplied_payment.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The service tries again to return an unapplied payment. */
    post: operations['unappliedPaymentUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'user.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A user was created. */
    post: operations['userCreatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'user.deleted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A user was deleted. The object is as it was before. */
    post: operations['userDeletedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'user.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A user was changed, or linked to an account. */
    post: operations['userUpdatedWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'webhook_endpoint.ping': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Someone tests the endpoint. This event is not stored. */
    post: operations['webhookEndpointPingWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface components {
  schemas: {
    AccountActivatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.activated';
    };
    AccountBalanceResponse: {
      /**
       * Format: int64
       * @description `posted` minus `held`.
       * @example 3750
       */
      available: number;
      /**
       * Format: int64
       * @description The part of `posted` that is held.
       * @example 1250
       */
      held: number;
      /**
       * Format: int64
       * @description Settled money, in minor units.
       * @example 5000
       */
      posted: number;
    };
    AccountClosedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.closed';
    };
    AccountCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.created';
    };
    AccountItemResponse: {
      /** @description Only with `view=full`. */
      balance?: components['schemas']['AccountBalanceResponse'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example books@example.com */
      email: string;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example Lovelace Ltd */
      name: string;
      /** @description Only with `view=full`. */
      settings?: components['schemas']['SettingsResponse'];
      status: components['schemas']['AccountStatus'];
      type: components['schemas']['AccountType'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    AccountMadePendingEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.made_pending';
    };
    AccountPagination: {
      /** @example true */
      has_next: boolean;
      /**
       * Format: int32
       * @example 25
       */
      limit: number;
      /**
       * Format: int32
       * @example 1
       */
      page: number;
      /**
       * Format: int32
       * @description Matching accounts.
       * @example 93
       */
      total: number;
    };
    AccountResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example books@example.com */
      email: string;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example Lovelace Ltd */
      name: string;
      settings: components['schemas']['SettingsResponse'];
      status: components['schemas']['AccountStatus'];
      type: components['schemas']['AccountType'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    AccountsResponse: {
      data: components['schemas']['AccountItemResponse'][];
      pagination: components['schemas']['AccountPagination'];
    };
    /**
     * @example active
     * @enum {string}
     */
    AccountStatus: 'active' | 'suspended' | 'pending' | 'closed';
    AccountSuspendedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.suspended';
    };
    /**
     * @example individual
     * @enum {string}
     */
    AccountType: 'individual' | 'business';
    AccountUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AccountResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'account.updated';
    };
    AdjustmentCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AdjustmentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'adjustment.created';
    };
    /**
     * @example credit
     * @enum {string}
     */
    AdjustmentDirection: 'credit' | 'debit';
    AdjustmentExpiredEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AdjustmentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'adjustment.expired';
    };
    AdjustmentPostedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AdjustmentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'adjustment.posted';
    };
    AdjustmentRejectedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['AdjustmentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'adjustment.rejected';
    };
    AdjustmentResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval that it waits or waited for; null for one that was posted at once.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description The admin who made it.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      created_by: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      direction: components['schemas']['AdjustmentDirection'];
      /** @example adj_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example A fee was charged twice on 3 November. */
      reason: string;
      /** @example invoice-2041 */
      reference: string | null;
      /** @description `pending`: a second admin has to approve it. It holds no money until then. */
      status: components['schemas']['AdjustmentStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    AdjustmentsResponse: {
      data: components['schemas']['AdjustmentResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example pending
     * @enum {string}
     */
    AdjustmentStatus: 'pending' | 'posted' | 'rejected' | 'expired';
    ApiKeyCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApiKeyResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'api_key.created';
    };
    ApiKeyResponse: {
      /**
       * @description Null for a platform key.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * @description Empty when the key may be used from anywhere.
       * @example [
       *       "203.0.113.7"
       *     ]
       */
      allowed_addresses: string[];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @example 2027-01-31T09:30:00.000Z
       */
      expires_at: string | null;
      /** @example key_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The last four characters of the key.
       * @example x7Qa
       */
      last_four: string;
      /**
       * Format: date-time
       * @description Exact to a minute. Null before the first use.
       * @example 2026-01-31T09:30:00.000Z
       */
      last_used_at: string | null;
      /** @example Web shop */
      name: string;
      role: components['schemas']['ApiKeyRole'];
      /**
       * @example [
       *       "transactions:read",
       *       "payments:write"
       *     ]
       */
      scopes: components['schemas']['ApiScope'][];
      /**
       * Format: date
       * @description The version of the API that requests with the key use.
       * @example 2026-11-26
       */
      version: string;
    };
    ApiKeyRevokedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApiKeyResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'api_key.revoked';
    };
    /**
     * @example user
     * @enum {string}
     */
    ApiKeyRole: 'user' | 'platform';
    ApiKeysResponse: {
      data: components['schemas']['ApiKeyResponse'][];
    };
    /**
     * @example transactions:read
     * @enum {string}
     */
    ApiScope:
      | 'transactions:read'
      | 'transactions:write'
      | 'payments:read'
      | 'payments:write'
      | 'webhooks'
      | 'transfers:read'
      | 'transfers:write'
      | 'requests:read'
      | 'credits:write'
      | 'refunds:write'
      | 'payment_requests:read'
      | 'subscriptions:read'
      | 'payment_requests:write'
      | 'subscriptions:write'
      | 'events:read'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'account:read';
    ApprovalApprovedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApprovalResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'approval.approved';
    };
    ApprovalCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApprovalResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'approval.created';
    };
    ApprovalExpiredEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApprovalResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'approval.expired';
    };
    ApprovalRejectedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['ApprovalResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'approval.rejected';
    };
    ApprovalResponse: {
      /**
       * @description The account that it is about; null for a user.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description The admin who approved or rejected it.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      decided_by: string | null;
      /**
       * @description What is about money: `amount` and `currency`, of an adjustment also `direction`, of a transaction `type`. Of a new admin, as of the request: `email`, `name` and `login_changes`, the last change (`at`) of the `password`, the `email` and the `second_factor`, each `by` `self`, an `admin` or the `email_link`.
       * @example {
       *       "amount": 250,
       *       "currency": "EUR",
       *       "direction": "credit"
       *     }
       */
      details: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description When it expires unless it is decided.
       * @example 2026-02-07T09:30:00.000Z
       */
      expires_at: string;
      /** @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The user to make an admin, the account to close, the adjustment to post, the new transaction, or the transaction or payment request to settle.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /** @example Closes at the wish of its owner, who has died. */
      reason: string;
      /** @example The amount is wrong. */
      rejection_reason: string | null;
      /**
       * @description The admin who asked for it.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      requested_by: string;
      status: components['schemas']['ApprovalStatus'];
      type: components['schemas']['ApprovalType'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    ApprovalsResponse: {
      data: components['schemas']['ApprovalResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example pending
     * @enum {string}
     */
    ApprovalStatus: 'pending' | 'approved' | 'rejected' | 'expired';
    /**
     * @example close_account
     * @enum {string}
     */
    ApprovalType:
      | 'close_account'
      | 'make_admin'
      | 'adjustment'
      | 'transaction'
      | 'transfer'
      | 'settle_transaction'
      | 'settle_payment_request';
    ApproveApprovalRequest: {
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
    };
    AuditedChangeResponse: {
      /** @example en */
      from:
        | (
            | string
            | number
            | boolean
            | unknown[]
            | {
                [key: string]: unknown;
              }
          )
        | null;
      /**
       * @description The member of the object, with that of an object in it after a dot.
       * @example settings.language
       */
      member: string;
      /** @example de */
      to:
        | (
            | string
            | number
            | boolean
            | unknown[]
            | {
                [key: string]: unknown;
              }
          )
        | null;
    };
    AuditEntryResponse: {
      /**
       * @description The account that the object belongs to.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /** @example account.suspend */
      action: string;
      /**
       * @description The user or account that acted; `system` for the service itself; null for a caller who is not authenticated.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      actor_id: string | null;
      /** @example admin */
      actor_role: string | null;
      /** @description What was changed, from what to what; empty for other actions and for entries of earlier releases. Null once it was erased. */
      changes: components['schemas']['AuditedChangeResponse'][] | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Further facts, which depend on the action.
       * @example {
       *       "changed": [
       *         "status"
       *       ]
       *     }
       */
      details: {
        [key: string]: unknown;
      };
      /** @example aud_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example 203.0.113.7 */
      ip: string | null;
      /**
       * @description The object of the action.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string | null;
      /** @description `failed`: the caller could not prove who they are. `refused`: the action was not allowed. */
      outcome: components['schemas']['AuditOutcome'];
      /**
       * @description Why, as the caller stated it.
       * @example Chargebacks above the limit
       */
      reason: string | null;
      /**
       * @description The X-Request-Id of the request, by which the log names it.
       * @example 0b8f0a51-6f43-4a1e-9d0c-6c0d3a4f0d11
       */
      request_id: string | null;
      /**
       * Format: int64
       * @description Its place in the chain of hashes, from 1 without gaps, in the order in which entries are sealed. Null until it is sealed, which takes about a second.
       * @example 1842
       */
      sequence: number | null;
      /** @example ses_01k9x8v2t4e6rb3m5n7p9q1s0w */
      session_id: string | null;
      /** @example curl/8.5.0 */
      user_agent: string | null;
    };
    AuditLogResponse: {
      data: components['schemas']['AuditEntryResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example succeeded
     * @enum {string}
     */
    AuditOutcome: 'succeeded' | 'failed' | 'refused';
    BalanceAfterwards: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      available: number;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      held: number;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      pending_in: number;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      posted: number;
    };
    BalanceResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: date-time
       * @description The time of the response, or that of the query.
       * @example 2026-01-31T09:30:00.000Z
       */
      as_of: string;
      /**
       * Format: int64
       * @description `posted` minus `held`. Absent with `as_of`.
       * @example 3750
       */
      available?: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: int64
       * @description The part of `posted` that is held for pending refunds and transfers. Absent with `as_of`.
       * @example 1250
       */
      held?: number;
      /**
       * Format: int64
       * @description Payments, credits and transfers that have not settled. Absent with `as_of`.
       * @example 800
       */
      pending_in?: number;
      /**
       * Format: int64
       * @description Settled money, in minor units.
       * @example 5000
       */
      posted: number;
    };
    BatchedTransactionRequest: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description As the header `Idempotency-Key` of a single creation, which it shares its keys with.
       * @example invoice-2041
       */
      idempotency_key?: string;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /**
       * @description With `source_transaction_id`: whether the refund takes back what other accounts got of the payment (`splits`), in proportion. By default the account pays the whole refund.
       * @example false
       */
      reverse_splits?: boolean;
      /**
       * @description The succeeded payment that a refund pays back.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      type: components['schemas']['TransactionType'];
    };
    BatchedTransactionResponse: {
      /** @description The balance that would be after it. Only of a dry run. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * @description Why it is not created.
       * @example insufficient_funds
       */
      error?: string;
      /** @example Required: 1250; available: 0. */
      message?: string;
      /**
       * @description Where an earlier request has created it.
       * @example true
       */
      replayed?: boolean;
      /**
       * Format: int32
       * @description The status that the response to a single creation would have.
       * @example 201
       */
      status: number;
      /** @description Where it is created. */
      transaction?: components['schemas']['CreatedTransactionResponse'];
    };
    BatchedTransferRequest: {
      /**
       * Format: int64
       * @description What `to_account_id` receives, in minor units.
       * @example 1250
       */
      amount?: number;
      /** @description `later` holds the money until the transfer is captured, canceled or expires. */
      capture?: components['schemas']['TransferCapture'];
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: date-time
       * @description With `capture: later`, when the money is released: at most a year ahead, by default never.
       */
      expires_at?: string;
      /**
       * @description The account that gives.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      from_account_id: string;
      /**
       * @description As the header `Idempotency-Key` of a single creation, which it shares its keys with.
       * @example invoice-2041
       */
      idempotency_key?: string;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /** @description Several accounts that receive, instead of `to_account_id` and `amount`: all, or none. */
      to?: components['schemas']['TransferPartRequest'][];
      /**
       * @description The account that receives.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x
       */
      to_account_id?: string;
    };
    BatchedTransferResponse: {
      /** @description The balance that would be after it. Only of a dry run. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * @description Why it is not created.
       * @example insufficient_funds
       */
      error?: string;
      /** @example Required: 1250; available: 0. */
      message?: string;
      /**
       * @description Where an earlier request has created it.
       * @example true
       */
      replayed?: boolean;
      /**
       * Format: int32
       * @description The status that the response to a single creation would have.
       * @example 201
       */
      status: number;
      /** @description Where it is created. */
      transfer?: components['schemas']['TransferResponse'];
    };
    /**
     * @example atomic
     * @enum {string}
     */
    BatchMode: 'atomic' | 'independent';
    BeginEnrolmentRequest: {
      /**
       * Format: password
       * @description The code of the authenticator app, or a recovery code. Each code works once.
       * @example 492039
       */
      otp?: string;
      /**
       * Format: password
       * @description The current password.
       * @example correct horse battery staple
       */
      password: string;
    };
    CanceledPaymentRequestResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      canceled_at: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The payment request was canceled. */
      message: string;
      /**
       * @example canceled
       * @enum {string}
       */
      status: 'canceled';
    };
    CanceledSubscriptionResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      canceled_at: string;
      /** @example sub_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The subscription was canceled. */
      message: string;
      /**
       * @example canceled
       * @enum {string}
       */
      status: 'canceled';
    };
    CanceledTransactionResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      canceled_at: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The transaction was canceled. */
      message: string;
      /**
       * @example canceled
       * @enum {string}
       */
      status: 'canceled';
    };
    CanceledTransferResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      canceled_at: string;
      /** @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The transfer was canceled. */
      message: string;
      /**
       * @example canceled
       * @enum {string}
       */
      status: 'canceled';
    };
    CaptureTransferRequest: {
      /**
       * Format: int64
       * @description A part of the amount, for a transfer to one account: the rest is released. By default all of it.
       * @example 1250
       */
      amount?: number;
    };
    ChangeEmailRequest: {
      /**
       * Format: password
       * @description The current password. Required unless `otp` is sent.
       * @example correct horse battery staple
       */
      current_password?: string;
      /**
       * Format: email
       * @description The new email.
       * @example ada@example.com
       */
      email: string;
      /**
       * Format: password
       * @description The code of the authenticator app, or a recovery code. Each code works once.
       * @example 492039
       */
      otp?: string;
    };
    ChangePasswordRequest: {
      /**
       * Format: password
       * @description The current password. Required unless `otp` is sent.
       * @example correct horse battery staple
       */
      current_password?: string;
      /**
       * Format: password
       * @description The code of the authenticator app, or a recovery code. Each code works once.
       * @example 492039
       */
      otp?: string;
      /**
       * Format: password
       * @description The new password. At least 8 characters and at most 72 bytes of UTF-8, not a common password, and not only words of the email, of the name or of the service's name, with or without digits and punctuation.
       * @example correct horse battery staple
       */
      password: string;
    };
    CloseAccountRequest: {
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
    };
    ClosedAccountResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      closed_at: string;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The account is closed. 0 minor units of EUR are left in it. */
      message: string;
      /**
       * @example closed
       * @enum {string}
       */
      status: 'closed';
    };
    ConfirmEnrolmentRequest: {
      /**
       * Format: password
       * @description The code that the authenticator app shows after the enrolment.
       * @example 492039
       */
      otp: string;
    };
    CreateAccountRequest: {
      /**
       * Format: email
       * @example ada@example.com
       */
      email: string;
      /** @example Lovelace Ltd */
      name: string;
      /**
       * Format: password
       * @description At least 8 characters and at most 72 bytes of UTF-8, not a common password, and not only words of the email, of the name or of the service's name, with or without digits and punctuation.
       * @example correct horse battery staple
       */
      password: string;
      settings?: components['schemas']['SettingsRequest'];
      type: components['schemas']['AccountType'];
    };
    CreateAdjustmentRequest: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @description `credit` adds the amount to the balance, `debit` takes it from the balance. */
      direction: components['schemas']['AdjustmentDirection'];
      /**
       * @description Why. Shown in the audit log.
       * @example A fee was charged twice on 3 November.
       */
      reason: string;
      /** @example invoice-2041 */
      reference?: string | null;
    };
    CreateApiKeyRequest: {
      /**
       * @description The addresses and networks from which the key may be used, such as `203.0.113.7` and `2001:db8::/48`; by default from anywhere.
       * @example []
       */
      allowed_addresses?: string[];
      /**
       * Format: date-time
       * @description When the key stops working; by default never.
       */
      expires_at?: string;
      /**
       * @description What the key is for.
       * @example Web shop
       */
      name: string;
      /** @description `user` (the default): the key acts as a member of your account. `platform`, for admins: the key belongs to no account and acts as a platform system. */
      role?: components['schemas']['ApiKeyRole'];
      /**
       * @description What the key may do; by default everything.
       * @example [
       *       "transactions:read",
       *       "payments:write"
       *     ]
       */
      scopes?: components['schemas']['ApiScope'][];
      /**
       * Format: date
       * @description The version of the API that requests with the key use; by default the account's.
       * @example 2026-11-26
       */
      version?: string;
    };
    CreatedApiKeyResponse: {
      /**
       * @description Null for a platform key.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * @description Empty when the key may be used from anywhere.
       * @example [
       *       "203.0.113.7"
       *     ]
       */
      allowed_addresses: string[];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @example 2027-01-31T09:30:00.000Z
       */
      expires_at: string | null;
      /** @example key_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The key. It is shown only here. Send it in the header `Authorization: Bearer <key>`.
       * @example ch_4kQzT1vB8nYcXw2mLr6sPj0dHf5gVa9uEoKi3NtZbC7
       */
      key: string;
      /**
       * @description The last four characters of the key.
       * @example x7Qa
       */
      last_four: string;
      /**
       * Format: date-time
       * @description Exact to a minute. Null before the first use.
       * @example 2026-01-31T09:30:00.000Z
       */
      last_used_at: string | null;
      /** @example Web shop */
      name: string;
      role: components['schemas']['ApiKeyRole'];
      /**
       * @example [
       *       "transactions:read",
       *       "payments:write"
       *     ]
       */
      scopes: components['schemas']['ApiScope'][];
      /**
       * Format: date
       * @description The version of the API that requests with the key use.
       * @example 2026-11-26
       */
      version: string;
    };
    CreatedPaymentRequestResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: uri
       * @description The page on which the customer pays. Anyone who has the link can pay.
       * @example https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM
       */
      payment_url: string;
      /** @example invoice-2041 */
      reference: string | null;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['PaymentRequestStatus'];
    };
    CreatedTransactionResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that the transaction waits or waited for. Only where an admin created it above the limit.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description The payment that a refund pays back. Only where the request named it.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransactionStatus'];
      type: components['schemas']['TransactionType'];
    };
    CreateNoteRequest: {
      /** @example Called on Monday; asked for a copy of the contract. */
      text: string;
    };
    CreatePaymentRequestRequest: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description Where the payment page leads a customer who does not pay, or cannot. As `return_url`.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string | null;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: email
       * @example ada@example.com
       */
      customer_email: string;
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /**
       * Format: date-time
       * @description When the request expires: at most a year ahead, by default in 30 days.
       */
      expires_at?: string;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /**
       * @description Where the payment page leads the customer after the payment. `{PAYMENT_REQUEST_ID}` stands for the id. Fetch the status before you trust it: anyone can open the address.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string | null;
      /** @description Parts of the payment that go to other accounts when the customer pays: active ones with the same currency, each with `amount` (minor units) or `percent` (of the payment, at most two decimals, rounded down). The rest stays. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount?: number;
        /** @example 12.5 */
        percent?: number;
      }[];
    };
    CreateSavedViewRequest: {
      /** @example Failed payments */
      name: string;
      /** @description The list of the console that is filtered. */
      page: components['schemas']['SavedViewPage'];
      /**
       * @description The filters, as in the address of the list.
       * @example {
       *       "status": "failed",
       *       "type": "payment"
       *     }
       */
      query: {
        [key: string]: string;
      };
      /**
       * @description Whether all who see all accounts see it. By default only its owner does.
       * @example false
       */
      shared?: boolean;
    };
    CreateSubscriptionRequest: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description Where the payment page leads a customer who does not pay, or cannot. As `return_url`.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string | null;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: email
       * @example ada@example.com
       */
      customer_email: string;
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /** @description The length of a period, by the UTC calendar. */
      interval: components['schemas']['Interval'];
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /**
       * @description Where the payment page leads the customer after the payment. `{PAYMENT_REQUEST_ID}` stands for the id. Fetch the status before you trust it: anyone can open the address.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string | null;
      /** @description Parts of the payment that go to other accounts when the customer pays: active ones with the same currency, each with `amount` (minor units) or `percent` (of the payment, at most two decimals, rounded down). The rest stays. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount?: number;
        /** @example 12.5 */
        percent?: number;
      }[];
    };
    CreateTransactionRequest: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /**
       * @description With `source_transaction_id`: whether the refund takes back what other accounts got of the payment (`splits`), in proportion. By default the account pays the whole refund.
       * @example false
       */
      reverse_splits?: boolean;
      /**
       * @description The succeeded payment that a refund pays back.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      type: components['schemas']['TransactionType'];
    };
    CreateTransactionsRequest: {
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /** @description `atomic` (the default): all are created in their order, or none. `independent`: each as if it were sent alone, at the same time as the others. */
      mode?: components['schemas']['BatchMode'];
      transactions: components['schemas']['BatchedTransactionRequest'][];
    };
    CreateTransferRequest: {
      /**
       * Format: int64
       * @description What `to_account_id` receives, in minor units.
       * @example 1250
       */
      amount?: number;
      /** @description `later` holds the money until the transfer is captured, canceled or expires. */
      capture?: components['schemas']['TransferCapture'];
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /**
       * Format: date-time
       * @description With `capture: later`, when the money is released: at most a year ahead, by default never.
       */
      expires_at?: string;
      /**
       * @description The account that gives.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      from_account_id: string;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
      /** @description Several accounts that receive, instead of `to_account_id` and `amount`: all, or none. */
      to?: components['schemas']['TransferPartRequest'][];
      /**
       * @description The account that receives.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x
       */
      to_account_id?: string;
    };
    CreateTransfersRequest: {
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /** @description `atomic` (the default): all are created in their order, or none. `independent`: each as if it were sent alone, at the same time as the others. */
      mode?: components['schemas']['BatchMode'];
      transfers: components['schemas']['BatchedTransferRequest'][];
    };
    CreateUserRequest: {
      /**
       * @description Only admins may set it.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id?: string;
      /**
       * Format: email
       * @example ada@example.com
       */
      email: string;
      /** @example Ada Lovelace */
      name?: string | null;
      /**
       * Format: password
       * @description At least 8 characters and at most 72 bytes of UTF-8, not a common password, and not only words of the email, of the name or of the service's name, with or without digits and punctuation.
       * @example correct horse battery staple
       */
      password: string;
      /** @description Only admins may set it. */
      role?: components['schemas']['Role'];
      /** @description Only admins may set it. */
      status?: components['schemas']['UserStatus'];
    };
    CreateWebhookRequest: {
      /**
       * @description Only events of these types are delivered; null or absent for all. An API key needs the scope that reads what they show, and without the member gets the types that it may read.
       * @example [
       *       "transaction.succeeded"
       *     ]
       */
      event_types?: string[] | null;
      /**
       * @description An https URL that the internet can reach, without a user name, a password and a fragment. Outside production, http and private addresses work too.
       * @example https://example.com/webhooks
       */
      url: string;
      /**
       * Format: date
       * @description The version of the API in which events are delivered; at first that of the account or the API key.
       * @example 2026-11-26
       */
      version?: string;
    };
    CurrencyTotalsResponse: {
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @description The days with postings, the first one first. */
      days: components['schemas']['DayTotalsResponse'][];
      /** @description Why transactions failed on these days: the five most frequent reasons. */
      failure_reasons: components['schemas']['FailureReasonResponse'][];
      /** @description The transactions that ended on these days. */
      outcomes: components['schemas']['OutcomesResponse'];
      /**
       * Format: int64
       * @description What all accounts hold, in minor units: settled money.
       * @example 1250
       */
      posted: number;
      /** @description The same of the `previous_period`. */
      previous_outcomes: components['schemas']['OutcomesResponse'];
    };
    DayTotalsResponse: {
      /**
       * Format: date
       * @description A day in UTC.
       * @example 2026-01-31
       */
      date: string;
      /**
       * Format: int64
       * @description How many postings there were.
       * @example 12
       */
      entry_count: number;
      /**
       * Format: int64
       * @description What came in, in minor units.
       * @example 1250
       */
      total_in: number;
      /**
       * Format: int64
       * @description What has moved between accounts, in minor units.
       * @example 1250
       */
      total_moved: number;
      /**
       * Format: int64
       * @description What went out, in minor units.
       * @example 1250
       */
      total_out: number;
    };
    DeletedNoteResponse: {
      /** @example note_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The note was deleted. */
      message: string;
    };
    DeletedSavedViewResponse: {
      /** @example view_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The saved view was deleted. */
      message: string;
    };
    DeletedUserResponse: {
      /** @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The user was deleted. */
      message: string;
    };
    EmailResponse: {
      /** @example ada@example.com */
      email: string;
      /**
       * @description The id of the user or the account that has the email.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      id: string;
      /** @example true */
      verified: boolean;
      /**
       * Format: date-time
       * @description When it was verified; null if it was not, or if an admin vouches for it.
       * @example 2026-01-31T09:30:00.000Z
       */
      verified_at: string | null;
    };
    EmailsResponse: {
      data: components['schemas']['EmailResponse'][];
      /**
       * @description Whether the email must be verified before API keys, webhook endpoints, users of the account and a second factor can be created.
       * @example true
       */
      verification_required: boolean;
    };
    EndedSessionResponse: {
      /** @example The session has ended. */
      message: string;
      /**
       * @description Present if the request contained it.
       * @example ses_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      session_id?: string;
    };
    EndSessionRequest: {
      /** @example ses_01k9x8v2t4e6rb3m5n7p9q1s0w */
      session_id?: string;
    };
    EnrolmentResponse: {
      /**
       * @description The URI as a QR code: a `data:` URI of a PNG image.
       * @example data:image/png;base64,iVBORw0KGgo=
       */
      qr_code: string;
      /**
       * @description The secret in base32, to type into an authenticator app.
       * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
       */
      secret: string;
      /**
       * @description The same as a URI that authenticator apps open.
       * @example otpauth://totp/Countinghouse:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
       */
      uri: string;
    };
    EntriesResponse: {
      data: components['schemas']['EntryResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    EntryResponse: {
      /**
       * Format: int64
       * @description Minor units. The two entries of a posting sum to zero; money that leaves the account is negative.
       * @example 1250
       */
      amount: number;
      /**
       * Format: int64
       * @description The balance of the leg after this entry, in minor units.
       * @example 5000
       */
      balance: number;
      /**
       * @description The other account of a transfer, by its name at the time; null for several, and for other types.
       * @example Harbour Cycles Ltd
       */
      counterparty: string | null;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example ent_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @description The side of the posting: the account, or the clearing account, which stands for the outside world. */
      leg: components['schemas']['Leg'];
      /**
       * Format: int64
       * @description Counts the entries of the account, both legs, from 1 without gaps.
       * @example 7
       */
      number: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      posted_at: string;
      /**
       * @description The reference with which the transaction was created, also if it was changed later.
       * @example invoice-2041
       */
      reference: string | null;
      /**
       * @description What was posted: a transaction, an adjustment, or a resource of an extension that moves money.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      transaction_id: string;
      /**
       * @description The type of the transaction (`payment`, `credit` or `refund`), `transfer`, `adjustment`, or what an extension calls its postings; null if it does not say.
       * @example payment
       */
      type: string | null;
    };
    /** @description The body of every response that is not a success. */
    Error: {
      error: components['schemas']['ErrorCode'];
      /**
       * @description What went wrong and what to do next, for people. Its wording may change.
       * @example A field is missing, malformed or has an invalid value.
       */
      message: string;
    };
    /**
     * @description What went wrong, for programs. Further codes may be added.
     * @example invalid_request
     * @enum {string}
     */
    ErrorCode:
      | 'account_not_found'
      | 'active_subscriptions'
      | 'conflict'
      | 'currency_mismatch'
      | 'cursor_expired'
      | 'email_exists'
      | 'forbidden'
      | 'insufficient_funds'
      | 'internal_error'
      | 'invalid_credentials'
      | 'invalid_request'
      | 'invalid_reset_token'
      | 'invalid_session'
      | 'not_cancellable'
      | 'not_found'
      | 'otp_required'
      | 'precondition_failed'
      | 'rate_limited'
      | 'unauthorized'
      | 'unavailable';
    /**
     * @example {
     *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
     *       "type": "transaction.succeeded",
     *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
     *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
     *       "sequence": 2,
     *       "created_at": "2026-01-31T09:30:00.000Z",
     *       "data": {
     *         "object": {
     *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
     *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
     *           "amount": 1250,
     *           "currency": "USD",
     *           "status": "succeeded",
     *           "created_at": "2026-01-31T09:30:00.000Z",
     *           "type": "payment",
     *           "reference": "invoice-2041",
     *           "metadata": {
     *             "order": "2041"
     *           },
     *           "updated_at": "2026-01-31T09:30:00.000Z"
     *         }
     *       }
     *     }
     */
    EventResponse:
      | components['schemas']['ApprovalCreatedEvent']
      | components['schemas']['ApprovalApprovedEvent']
      | components['schemas']['ApprovalRejectedEvent']
      | components['schemas']['ApprovalExpiredEvent']
      | components['schemas']['UserCreatedEvent']
      | components['schemas']['UserUpdatedEvent']
      | components['schemas']['UserDeletedEvent']
      | components['schemas']['AccountCreatedEvent']
      | components['schemas']['AccountUpdatedEvent']
      | components['schemas']['AccountActivatedEvent']
      | components['schemas']['AccountSuspendedEvent']
      | components['schemas']['AccountMadePendingEvent']
      | components['schemas']['AccountClosedEvent']
      | components['schemas']['ApiKeyCreatedEvent']
      | components['schemas']['ApiKeyRevokedEvent']
      | components['schemas']['AdjustmentCreatedEvent']
      | components['schemas']['AdjustmentPostedEvent']
      | components['schemas']['AdjustmentRejectedEvent']
      | components['schemas']['AdjustmentExpiredEvent']
      | components['schemas']['WebhookEndpointPingEvent']
      | components['schemas']['TransactionCreatedEvent']
      | components['schemas']['TransactionUpdatedEvent']
      | components['schemas']['TransactionSucceededEvent']
      | components['schemas']['TransactionFailedEvent']
      | components['schemas']['TransactionCanceledEvent']
      | components['schemas']['TransferCreatedEvent']
      | components['schemas']['TransferSucceededEvent']
      | components['schemas']['TransferCapturedEvent']
      | components['schemas']['TransferCanceledEvent']
      | components['schemas']['TransferExpiredEvent']
      | components['schemas']['TransferReversedEvent']
      | components['schemas']['UnappliedPaymentCreatedEvent']
      | components['schemas']['UnappliedPaymentUpdatedEvent']
      | components['schemas']['UnappliedPaymentReturnedEvent']
      | components['schemas']['UnappliedPaymentNeedsAttentionEvent']
      | components['schemas']['PaymentRequestCreatedEvent']
      | components['schemas']['PaymentRequestUpdatedEvent']
      | components['schemas']['PaymentRequestSucceededEvent']
      | components['schemas']['PaymentRequestFailedEvent']
      | components['schemas']['PaymentRequestCanceledEvent']
      | components['schemas']['SubscriptionCreatedEvent']
      | components['schemas']['SubscriptionUpdatedEvent']
      | components['schemas']['SubscriptionCanceledEvent'];
    EventsResponse: {
      data: components['schemas']['EventResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    ExpireWebhookSecretRequest: {
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
    };
    FailedDeliveriesResponse: {
      /**
       * Format: int32
       * @description At most 10,000 of each type and status are counted.
       * @example 3
       */
      count: number;
      /**
       * @description Whether the count has reached its limit, so that there may be more.
       * @example false
       */
      has_more: boolean;
      /** @description Absent if there is none. */
      oldest?: components['schemas']['FailedDeliveryResponse'];
    };
    FailedDeliveryResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example whk_01k9x8v2t4e6rb3m5n7p9q1s0w */
      webhook_id: string;
    };
    FailureReasonResponse: {
      /**
       * Format: int64
       * @description How many transactions failed with it.
       * @example 12
       */
      count: number;
      /**
       * @description Null for those without a reason, and for rare ones: of each hour, 100 are told apart.
       * @example The bank rejected the transfer.
       */
      failure_reason: string | null;
    };
    FoundResourceResponse: {
      /**
       * @description The account that the resource belongs to; null where there is none.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The whole resource; a payment request is without its link.
       * @example {
       *       "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
       *       "reference": "invoice-2041"
       *     }
       */
      object: {
        [key: string]: unknown;
      };
      /**
       * @description The type of the resource.
       * @example transaction
       */
      type: string;
    };
    HealthResponse: {
      /**
       * @example ok
       * @enum {string}
       */
      status: 'ok';
    };
    /**
     * @example day
     * @enum {string}
     */
    Interval: 'day' | 'week' | 'month' | 'year';
    InviteAccountRequest: {
      /**
       * Format: email
       * @example ada@example.com
       */
      email: string;
      /** @example Lovelace Ltd */
      name: string;
      settings?: components['schemas']['SettingsRequest'];
      type: components['schemas']['AccountType'];
    };
    /**
     * @example user
     * @enum {string}
     */
    InvitedRole: 'user' | 'platform' | 'support';
    InviteUserRequest: {
      /**
       * @description Only admins may set it.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id?: string;
      /**
       * Format: email
       * @example ada@example.com
       */
      email: string;
      /** @example Ada Lovelace */
      name?: string | null;
      /** @description Only admins may set it. A user who has accepted can be made an admin. */
      role?: components['schemas']['InvitedRole'];
    };
    /**
     * @example customer
     * @enum {string}
     */
    Leg: 'customer' | 'clearing';
    /**
     * @example json
     * @enum {string}
     */
    ListFormat: 'json' | 'csv';
    LoginRequest: {
      /** @example ada@example.com */
      email: string;
      /**
       * Format: password
       * @description The code of the authenticator app, or a recovery code. Each code works once.
       * @example 492039
       */
      otp?: string;
      /**
       * Format: password
       * @description The password in plain text.
       * @example correct horse battery staple
       */
      password: string;
    };
    /**
     * @example owner
     * @enum {string|null}
     */
    MembershipRole: 'owner' | 'member' | null;
    MessageResponse: {
      /** @example The password was changed. Other sessions have ended. */
      message: string;
    };
    NoteResponse: {
      /**
       * @description The user who wrote it, who may have been deleted since.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      author_id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example note_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The account or the user that the note is about.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /** @example Called on Monday; asked for a copy of the contract. */
      text: string;
    };
    NotesResponse: {
      data: components['schemas']['NoteResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    OtpRequest: {
      /**
       * Format: password
       * @description The code of the authenticator app, or a recovery code. Each code works once.
       * @example 492039
       */
      otp: string;
    };
    OutcomeCountsResponse: {
      /**
       * Format: int64
       * @description The sum of those that succeeded, in minor units.
       * @example 1250
       */
      amount: number;
      /**
       * Format: int64
       * @description How many failed. Canceled ones are in neither.
       * @example 12
       */
      failed: number;
      /**
       * Format: int64
       * @description How many succeeded.
       * @example 12
       */
      succeeded: number;
    };
    OutcomesResponse: {
      credits: components['schemas']['OutcomeCountsResponse'];
      payments: components['schemas']['OutcomeCountsResponse'];
      refunds: components['schemas']['OutcomeCountsResponse'];
    };
    /**
     * @example simulation
     * @enum {string}
     */
    PaymentAttemptMethod: 'simulation' | 'hosted_checkout' | 'reported';
    /**
     * @example succeeded
     * @enum {string}
     */
    PaymentAttemptOutcome: 'succeeded' | 'declined' | 'failed';
    PaymentAttemptResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @description `simulation`: on the page of the sandbox, or by a test. `hosted_checkout`: on the page of the processor. `reported`: outside of the service. */
      method: components['schemas']['PaymentAttemptMethod'];
      outcome: components['schemas']['PaymentAttemptOutcome'];
      /**
       * @description Why it was declined, or failed: a sentence, or the code of the processor.
       * @example insufficient_funds
       */
      reason: string | null;
    };
    /**
     * @example request
     * @enum {string}
     */
    PaymentEmailKind: 'request' | 'receipt';
    PaymentRequestCanceledEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['PaymentRequestEventObject'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment_request.canceled';
    };
    PaymentRequestCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['PaymentRequestEventObject'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment_request.created';
    };
    PaymentRequestDryRunResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /** @description The balance that would be. For callers who may read it. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /** @example true */
      dry_run: boolean;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: uri
       * @description The page on which the customer pays. Anyone who has the link can pay.
       * @example https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM
       */
      payment_url: string;
      /** @example invoice-2041 */
      reference: string | null;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['PaymentRequestStatus'];
    };
    PaymentRequestEventObject: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /**
       * Format: date-time
       * @example 2026-03-02T09:30:00.000Z
       */
      expires_at: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['PaymentRequestStatus'];
      /**
       * @description The transaction that records the payment. Only of a paid request.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      transaction_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    PaymentRequestFailedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['PaymentRequestEventObject'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment_request.failed';
    };
    /**
     * @example succeeded
     * @enum {string}
     */
    PaymentRequestOutcome: 'succeeded' | 'failed';
    PaymentRequestResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /**
       * Format: date-time
       * @example 2026-03-02T09:30:00.000Z
       */
      expires_at: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: uri
       * @description The page on which the customer pays. Anyone who has the link can pay.
       * @example https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM
       */
      payment_url: string;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['PaymentRequestStatus'];
      /**
       * @description The transaction that records the payment. Only of a paid request.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      transaction_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    PaymentRequestsResponse: {
      data: (
        | components['schemas']['CreatedPaymentRequestResponse']
        | components['schemas']['PaymentRequestResponse']
      )[];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example pending
     * @enum {string}
     */
    PaymentRequestStatus: 'pending' | 'succeeded' | 'failed' | 'canceled';
    PaymentRequestStatusResponse: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example invoice-2041 */
      reference: string | null;
      status: components['schemas']['PaymentRequestStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    PaymentRequestSucceededEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['PaymentRequestEventObject'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment_request.succeeded';
    };
    PaymentRequestUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['PaymentRequestEventObject'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment_request.updated';
    };
    PendingAmountResponse: {
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: int64
       * @description What is to come in, in minor units.
       * @example 1250
       */
      total_in: number;
      /**
       * Format: int64
       * @description What is to go out, in minor units.
       * @example 1250
       */
      total_out: number;
    };
    PendingTransactionsResponse: {
      /** @description The sums of those that are counted. */
      amounts: components['schemas']['PendingAmountResponse'][];
      /**
       * Format: int32
       * @description At most 10,000 of each type and status are counted.
       * @example 3
       */
      count: number;
      /**
       * @description Whether the count has reached its limit, so that there may be more.
       * @example false
       */
      has_more: boolean;
      /** @description Absent if there is none. */
      oldest?: components['schemas']['WaitingObjectResponse'];
    };
    PinAccountRequest: {
      /**
       * Format: date
       * @example 2026-11-26
       */
      version: string;
    };
    PinnedVersionResponse: {
      /**
       * Format: date
       * @description The newest version.
       * @example 2026-11-26
       */
      newest: string;
      /**
       * Format: date
       * @description The version to which the account, or the API key that asks, is pinned.
       * @example 2026-11-26
       */
      version: string;
      /** @description All versions, from the newest to the oldest. */
      versions: components['schemas']['VersionResponse'][];
    };
    PreviousPeriodResponse: {
      /**
       * Format: date-time
       * @description The first moment.
       * @example 2026-01-31T09:30:00.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description The end, which is not part of it.
       * @example 2026-01-31T09:30:00.000Z
       */
      until: string;
    };
    /**
     * @example ok
     * @enum {string}
     */
    Readiness: 'ok' | 'degraded';
    ReadinessResponse: {
      /** @description `degraded`: requests are served, but background work of this replica fails, for example because a server of Citus does not respond. */
      status: components['schemas']['Readiness'];
    };
    RecordUnappliedPaymentRequest: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
    };
    RecoveryCodesResponse: {
      /**
       * @description Ten codes that each replace one code of the app. They are not shown again.
       * @example [
       *       "XK4D2A-Q7PLM3-5RTB6N-WZ2YHC"
       *     ]
       */
      recovery_codes: string[];
    };
    RedeliverAllRequest: {
      /**
       * Format: date-time
       * @description Only deliveries that were created at this time or later.
       */
      since?: string;
      /**
       * @description The `last_id` of the batch before.
       * @example whd_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      starting_after?: string;
      /**
       * Format: date-time
       * @description Only deliveries that were created at this time or earlier.
       */
      until?: string;
      /**
       * @description Only deliveries to this webhook endpoint.
       * @example whk_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      webhook_id?: string;
    };
    RedeliveredBatchResponse: {
      /**
       * Format: int32
       * @description How many deliveries are pending again.
       * @example 97
       */
      count: number;
      /**
       * @description Send it as `starting_after` for the next batch; null when nothing is left.
       * @example whd_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      last_id: string | null;
      /**
       * Format: int32
       * @description How many of the batch stay failed, since their endpoint is disabled.
       * @example 3
       */
      skipped: number;
    };
    RedeliveredResponse: {
      /**
       * Format: int32
       * @description How many deliveries are pending again.
       * @example 12
       */
      count: number;
      /**
       * @description Whether more are left: repeat the request.
       * @example false
       */
      has_more: boolean;
    };
    RedeliverFailedRequest: {
      /**
       * Format: date-time
       * @description Only deliveries that were created at this time or later.
       */
      since?: string;
    };
    RefreshRequest: {
      /**
       * Format: password
       * @description The refresh token from the last login or refresh.
       * @example 6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ
       */
      refresh_token: string;
    };
    RejectApprovalRequest: {
      /**
       * @description Why. Shown in the audit log.
       * @example The amount is wrong.
       */
      reason: string;
    };
    /**
     * @example canceled
     * @enum {string}
     */
    RejectionReason:
      'canceled' | 'expired' | 'failed' | 'already_paid' | 'account_closed' | 'amount_mismatch' | 'rejected';
    RepeatedEmailResponse: {
      /** @description `request`: with the link to pay. `receipt`: for a payment that was made. */
      kind: components['schemas']['PaymentEmailKind'];
      /** @example The email is on its way to the customer. */
      message: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      payment_request_id: string;
    };
    RequestApprovalRequest: {
      /**
       * @description The id of the user to make an admin, of the account to close, or of the transaction or the payment request to settle as succeeded.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * @description Why. Shown in the audit log.
       * @example Closes at the wish of its owner, who has died.
       */
      reason: string;
      /** @description `make_admin`, `close_account`, `settle_transaction` or `settle_payment_request`. An adjustment and a transaction above the limit ask for their approval themselves. */
      type: components['schemas']['ApprovalType'];
    };
    RequestPasswordResetRequest: {
      /** @example ada@example.com */
      email: string;
    };
    RequestResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * @description The API key, the user or the account that sent it.
       * @example key_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      caller_id: string;
      /**
       * Format: date-time
       * @description When the request ended.
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: int32
       * @description Milliseconds.
       * @example 12
       */
      duration_ms: number;
      /**
       * @description The error code of the response; null for a success.
       * @example insufficient_funds
       */
      error: string | null;
      /** @example req_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example POST */
      method: string;
      /**
       * @description Without the query. What is no id has the name of the parameter in its place.
       * @example /v1/transactions
       */
      path: string;
      /**
       * @description The `X-Request-Id` of the response.
       * @example 0b8f0a51-6f43-4a1e-9d0c-6c0d3a4f0d11
       */
      request_id: string;
      /**
       * Format: int32
       * @example 402
       */
      status: number;
    };
    RequestsResponse: {
      data: components['schemas']['RequestResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    ResetPasswordRequest: {
      /**
       * Format: password
       * @description The new password. At least 8 characters and at most 72 bytes of UTF-8, not a common password, and not only words of the email, of the name or of the service's name, with or without digits and punctuation.
       * @example correct horse battery staple
       */
      password: string;
      /**
       * Format: password
       * @description The last part of the link in the email.
       * @example 6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ
       */
      token: string;
    };
    ResolveUnappliedPaymentRequest: {
      outcome: components['schemas']['UnappliedPaymentResolution'];
    };
    RetrievedPaymentRequestResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /** @description The attempts to pay it, oldest first. Only where there are some. */
      attempts?: components['schemas']['PaymentAttemptResponse'][];
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /**
       * Format: date-time
       * @example 2026-03-02T09:30:00.000Z
       */
      expires_at: string;
      /**
       * @description Why the payment request failed. Only of a failed one.
       * @example The payment was declined 5 times.
       */
      failure_reason?: string;
      /** @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: uri
       * @description The page on which the customer pays. Anyone who has the link can pay.
       * @example https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM
       */
      payment_url: string;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['PaymentRequestStatus'];
      /**
       * @description The transaction that records the payment. Only of a paid request.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      transaction_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    RetrievedTransactionResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that the transaction waits or waited for. Only where an admin created it above the limit.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description Why the transaction failed. Only where a reason is known: it was reported, or the sandbox decided it.
       * @example The bank rejected the transfer.
       */
      failure_reason?: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * @description The payment request that the payment paid. Only where there is one.
       * @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      payment_request_id?: string;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * Format: int64
       * @description The sum of the pending and succeeded refunds of a payment. Only where there are some.
       * @example 1250
       */
      refunded_amount?: number;
      /**
       * @description The payment that a refund pays back. Only where the request named it.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransactionStatus'];
      type: components['schemas']['TransactionType'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    ReversalDryRunResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that it waits or waited for. Only where there is one.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /** @description The balance that would be. For callers who may read it. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @description `out` as the account sees it that gives. */
      direction: components['schemas']['TransferDirection'];
      /** @example true */
      dry_run: boolean;
      /**
       * Format: date-time
       * @description When it expires while it is pending; null for never.
       * @example 2026-01-31T09:30:00.000Z
       */
      expires_at: string | null;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      from_account_id: string;
      /** @example Ada Lovelace */
      from_account_name: string;
      /** @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description For the account that gives. Empty for others.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * Format: int64
       * @description Not captured. Only where there is some.
       * @example 1250
       */
      released_amount?: number;
      /**
       * @description The transfer whose money this one sends back. Only of reversals.
       * @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      reversal_of?: string;
      /**
       * Format: int64
       * @description Sent back. Only where there is some.
       * @example 1250
       */
      reversed_amount?: number;
      /**
       * @description The payment that it splits, or the refund that takes a part of it back. Only where there is one.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransferStatus'];
      /** @description The accounts that receive. One that receives sees itself only. */
      to: components['schemas']['TransferPartResponse'][];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    ReverseTransferRequest: {
      /**
       * @description The account that sends money back. Required where several received some.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id?: string;
      /**
       * Format: int64
       * @description By default all that is left.
       * @example 1250
       */
      amount?: number;
      /**
       * @description `true` checks everything and stores nothing: the response is 200 with what would be created, whose id leads nowhere, and the `balance` that would be.
       * @example false
       */
      dry_run?: boolean;
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
    };
    RevokeApiKeyRequest: {
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
    };
    RevokedApiKeyResponse: {
      /** @example key_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example The API key was revoked. */
      message: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      revoked_at: string;
    };
    /**
     * @example user
     * @enum {string}
     */
    Role: 'user' | 'platform' | 'support' | 'admin';
    /**
     * @example transactions
     * @enum {string}
     */
    SavedViewPage:
      | 'transactions'
      | 'payments'
      | 'subscriptions'
      | 'transfers'
      | 'unapplied'
      | 'adjustments'
      | 'accounts'
      | 'users'
      | 'approvals'
      | 'audit'
      | 'events'
      | 'webhooks'
      | 'deliveries'
      | 'requests';
    SavedViewResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example view_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example Failed payments */
      name: string;
      /**
       * @description The user who saved it, who may have been deleted since.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      owner_id: string;
      /** @description The list of the console that is filtered. */
      page: components['schemas']['SavedViewPage'];
      /**
       * @description The filters.
       * @example {
       *       "status": "failed",
       *       "type": "payment"
       *     }
       */
      query: {
        [key: string]: string;
      };
      /** @example false */
      shared: boolean;
    };
    SavedViewsResponse: {
      data: components['schemas']['SavedViewResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    SearchResponse: {
      data: components['schemas']['FoundResourceResponse'][];
      /**
       * @description Whether there are more of a type. The filters of its list return all of them.
       * @example false
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    SecondFactorResponse: {
      /**
       * Format: date-time
       * @description The time since which a login requires a code.
       * @example 2026-01-31T09:30:00.000Z
       */
      confirmed_at: string | null;
      /**
       * @description Whether a login requires a code.
       * @example true
       */
      enabled: boolean;
      /**
       * Format: int32
       * @description The number of unused recovery codes.
       * @example 10
       */
      recovery_codes_left: number;
    };
    SessionResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Whether this session made the request.
       * @example true
       */
      current: boolean;
      /**
       * Format: date-time
       * @description Extended with each refresh.
       * @example 2026-01-31T09:30:00.000Z
       */
      expires_at: string;
      /** @example 203.0.113.7 */
      ip: string;
      /**
       * Format: date-time
       * @description The time of the login or of the last refresh.
       * @example 2026-01-31T09:30:00.000Z
       */
      last_used_at: string;
      /** @example ses_01k9x8v2t4e6rb3m5n7p9q1s0w */
      session_id: string;
      /** @example curl/8.5.0 */
      user_agent: string | null;
    };
    SessionsResponse: {
      data: components['schemas']['SessionResponse'][];
    };
    /**
     * @example active
     * @enum {string}
     */
    SettableAccountStatus: 'active' | 'suspended' | 'pending';
    SettingsRequest: {
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency?: string;
      /** @example de-DE */
      language?: string;
      /** @example Europe/Berlin */
      timezone?: string;
    };
    SettingsResponse: {
      /** @example EUR */
      currency: string;
      /** @example de-DE */
      language: string;
      /** @example Europe/Berlin */
      timezone: string;
    };
    SettlePaymentRequestRequest: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      outcome: components['schemas']['PaymentRequestOutcome'];
    };
    SettleTransactionRequest: {
      /** @example The bank rejected the transfer. */
      failure_reason?: string;
      outcome: components['schemas']['TransactionOutcome'];
    };
    StatementEntryResponse: {
      /**
       * Format: int64
       * @description Minor units. The two entries of a posting sum to zero; money that leaves the account is negative.
       * @example 1250
       */
      amount: number;
      /**
       * Format: int64
       * @description The balance of the leg after this entry, in minor units.
       * @example 5000
       */
      balance: number;
      /**
       * @description The other account of a transfer, by its name at the time; null for several, and for other types.
       * @example Harbour Cycles Ltd
       */
      counterparty: string | null;
      /**
       * Format: int64
       * @description Counts the entries of the account, both legs, from 1 without gaps.
       * @example 7
       */
      number: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      posted_at: string;
      /**
       * @description The reference with which the transaction was created, also if it was changed later.
       * @example invoice-2041
       */
      reference: string | null;
      /**
       * @description What was posted: a transaction, an adjustment, or a resource of an extension that moves money.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      transaction_id: string;
      /**
       * @description The type of the transaction (`payment`, `credit` or `refund`), `transfer`, `adjustment`, or what an extension calls its postings; null if it does not say.
       * @example payment
       */
      type: string | null;
    };
    /**
     * @example json
     * @enum {string}
     */
    StatementFormat: 'json' | 'csv' | 'camt053' | 'pdf';
    StatementResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description At the end: `opening_balance` plus `total_in` minus `total_out`.
       * @example 6250
       */
      closing_balance: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * Format: date-time
       * @description The first moment after the period.
       * @example 2026-01-31T09:30:00.000Z
       */
      end: string;
      /** @description Oldest first. */
      entries: components['schemas']['StatementEntryResponse'][];
      /**
       * Format: int32
       * @description How many entries there are.
       * @example 1
       */
      entry_count: number;
      /**
       * Format: int64
       * @description At the start, in minor units.
       * @example 5000
       */
      opening_balance: number;
      /** @example 2026-10 */
      period: string;
      /**
       * Format: date-time
       * @description The first moment of the period.
       * @example 2026-01-31T09:30:00.000Z
       */
      start: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      total_in: number;
      /**
       * Format: int64
       * @description Minor units.
       * @example 0
       */
      total_out: number;
    };
    SubjectResponse: {
      /** @example ada@example.com */
      email: string;
      /**
       * @description The id of the user or the account.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      id: string;
      /** @example Ada Lovelace */
      name: string | null;
    };
    SubjectSessionResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Whether this session made the request.
       * @example true
       */
      current: boolean;
      /**
       * Format: date-time
       * @description Extended with each refresh.
       * @example 2026-01-31T09:30:00.000Z
       */
      expires_at: string;
      /** @example 203.0.113.7 */
      ip: string;
      /**
       * Format: date-time
       * @description The time of the login or of the last refresh.
       * @example 2026-01-31T09:30:00.000Z
       */
      last_used_at: string;
      /** @example ses_01k9x8v2t4e6rb3m5n7p9q1s0w */
      session_id: string;
      /** @example curl/8.5.0 */
      user_agent: string | null;
      /**
       * @description The user who logged in; null when only an account did.
       * @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      user_id: string | null;
    };
    SubjectSessionsResponse: {
      data: components['schemas']['SubjectSessionResponse'][];
    };
    SubscriptionCanceledEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['SubscriptionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'subscription.canceled';
    };
    SubscriptionCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['SubscriptionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'subscription.created';
    };
    SubscriptionDryRunResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /** @description The balance that would be. For callers who may read it. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /** @example true */
      dry_run: boolean;
      /** @example sub_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      interval: components['schemas']['Interval'];
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description When the next payment request is created; null once the subscription is canceled.
       * @example 2026-02-28T09:30:00.000Z
       */
      next_payment_at: string | null;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['SubscriptionStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    SubscriptionResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      cancel_url?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example customer@example.com */
      customer_email: string;
      /** @example sub_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      interval: components['schemas']['Interval'];
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description When the next payment request is created; null once the subscription is canceled.
       * @example 2026-02-28T09:30:00.000Z
       */
      next_payment_at: string | null;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description Only where it was given.
       * @example https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}
       */
      return_url?: string;
      /** @description Only where there are some. */
      splits?: {
        /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0x */
        account_id: string;
        /** Format: int64 */
        amount: number;
        /** @example 12.5 */
        percent?: number;
        /** @description The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it. */
        skipped?: boolean;
      }[];
      status: components['schemas']['SubscriptionStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    SubscriptionsResponse: {
      data: components['schemas']['SubscriptionResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example active
     * @enum {string}
     */
    SubscriptionStatus: 'active' | 'canceled';
    SubscriptionUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['SubscriptionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'subscription.updated';
    };
    TokensResponse: {
      /**
       * @description A JWT. Send it in the header `Authorization: Bearer <access_token>`.
       * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2lnbmF0dXJl
       */
      access_token: string;
      /**
       * Format: int32
       * @description The lifetime of the access token in seconds.
       * @example 900
       */
      expires_in: number;
      /**
       * @description Valid for one use at `POST /v1/auth/refresh`.
       * @example 6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ
       */
      refresh_token: string;
      /**
       * @example Bearer
       * @enum {string}
       */
      token_type: 'Bearer';
      user: components['schemas']['SubjectResponse'];
    };
    TotalsResponse: {
      /**
       * Format: date-time
       * @description When the totals were read.
       * @example 2026-01-31T09:30:00.000Z
       */
      as_of: string;
      /** @description The currencies that any account has money in, or had, or in which transactions ended. */
      currencies: components['schemas']['CurrencyTotalsResponse'][];
      /** @description Deliveries of webhooks of the last 30 days. */
      failed_deliveries: components['schemas']['FailedDeliveriesResponse'];
      /**
       * Format: date
       * @description The first day.
       * @example 2026-01-31
       */
      from: string;
      pending_transactions: components['schemas']['PendingTransactionsResponse'];
      /** @description As many days, before `from`. While the last day is not over, it ends at the end of the same hour. */
      previous_period: components['schemas']['PreviousPeriodResponse'];
      /**
       * Format: date
       * @description The last day.
       * @example 2026-01-31
       */
      to: string;
      /** @description Those that are not returned yet. */
      unapplied_payments: components['schemas']['UnappliedPaymentsTotalsResponse'];
      /** @description Webhook endpoints to which nothing is delivered. */
      webhook_endpoints: components['schemas']['WebhookEndpointsTotalsResponse'];
    };
    TransactionBatchResponse: {
      /** @description In the order of the request. */
      data: components['schemas']['BatchedTransactionResponse'][];
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    TransactionCanceledEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransactionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transaction.canceled';
    };
    TransactionCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransactionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transaction.created';
    };
    TransactionDryRunResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that the transaction waits or waited for. Only where an admin created it above the limit.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /** @description The balance that would be. For callers who may read it. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example true */
      dry_run: boolean;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description The payment that a refund pays back. Only where the request named it.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransactionStatus'];
      type: components['schemas']['TransactionType'];
    };
    TransactionFailedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransactionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transaction.failed';
    };
    TransactionItemResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      status: components['schemas']['TransactionStatus'];
      type: components['schemas']['TransactionType'];
    };
    /**
     * @example succeeded
     * @enum {string}
     */
    TransactionOutcome: 'succeeded' | 'failed';
    TransactionResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that the transaction waits or waited for. Only where an admin created it above the limit.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description Why the transaction failed. Only where a reason is known: it was reported, or the sandbox decided it.
       * @example The bank rejected the transfer.
       */
      failure_reason?: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /**
       * @description The payment request that the payment paid. Only where there is one.
       * @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      payment_request_id?: string;
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * @description The payment that a refund pays back. Only where the request named it.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransactionStatus'];
      type: components['schemas']['TransactionType'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    TransactionsResponse: {
      data: (
        components['schemas']['TransactionItemResponse'] | components['schemas']['TransactionResponse']
      )[];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example pending
     * @enum {string}
     */
    TransactionStatus: 'pending' | 'succeeded' | 'failed' | 'canceled';
    TransactionSucceededEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransactionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transaction.succeeded';
    };
    /**
     * @example payment
     * @enum {string}
     */
    TransactionType: 'payment' | 'credit' | 'refund';
    TransactionUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransactionResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transaction.updated';
    };
    TransferBatchResponse: {
      /** @description In the order of the request. */
      data: components['schemas']['BatchedTransferResponse'][];
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    TransferCanceledEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.canceled';
    };
    /**
     * @example now
     * @enum {string}
     */
    TransferCapture: 'now' | 'later';
    TransferCapturedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.captured';
    };
    TransferCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.created';
    };
    /**
     * @example in
     * @enum {string}
     */
    TransferDirection: 'in' | 'out';
    TransferDryRunResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that it waits or waited for. Only where there is one.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /** @description The balance that would be. For callers who may read it. */
      balance?: components['schemas']['BalanceAfterwards'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @description `out` as the account sees it that gives. */
      direction: components['schemas']['TransferDirection'];
      /** @example true */
      dry_run: boolean;
      /**
       * Format: date-time
       * @description When it expires while it is pending; null for never.
       * @example 2026-01-31T09:30:00.000Z
       */
      expires_at: string | null;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      from_account_id: string;
      /** @example Ada Lovelace */
      from_account_name: string;
      /** @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description For the account that gives. Empty for others.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * Format: int64
       * @description Not captured. Only where there is some.
       * @example 1250
       */
      released_amount?: number;
      /**
       * @description The transfer whose money this one sends back. Only of reversals.
       * @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      reversal_of?: string;
      /**
       * Format: int64
       * @description Sent back. Only where there is some.
       * @example 1250
       */
      reversed_amount?: number;
      /**
       * @description The payment that it splits, or the refund that takes a part of it back. Only where there is one.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransferStatus'];
      /** @description The accounts that receive. One that receives sees itself only. */
      to: components['schemas']['TransferPartResponse'][];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    TransferExpiredEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.expired';
    };
    TransferPartRequest: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /** @example invoice-2041 */
      reference?: string | null;
    };
    TransferPartResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /** @example Harbour Cycles Ltd */
      account_name: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /** @example invoice-2041 */
      reference: string | null;
    };
    TransferResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description The approval of a second admin that it waits or waited for. Only where there is one.
       * @example apr_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      approval_id?: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /** @description `out` as the account sees it that gives. */
      direction: components['schemas']['TransferDirection'];
      /**
       * Format: date-time
       * @description When it expires while it is pending; null for never.
       * @example 2026-01-31T09:30:00.000Z
       */
      expires_at: string | null;
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      from_account_id: string;
      /** @example Ada Lovelace */
      from_account_name: string;
      /** @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description For the account that gives. Empty for others.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata: {
        [key: string]: unknown;
      };
      /** @example invoice-2041 */
      reference: string | null;
      /**
       * Format: int64
       * @description Not captured. Only where there is some.
       * @example 1250
       */
      released_amount?: number;
      /**
       * @description The transfer whose money this one sends back. Only of reversals.
       * @example trf_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      reversal_of?: string;
      /**
       * Format: int64
       * @description Sent back. Only where there is some.
       * @example 1250
       */
      reversed_amount?: number;
      /**
       * @description The payment that it splits, or the refund that takes a part of it back. Only where there is one.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      source_transaction_id?: string;
      status: components['schemas']['TransferStatus'];
      /** @description The accounts that receive. One that receives sees itself only. */
      to: components['schemas']['TransferPartResponse'][];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    TransferReversedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.reversed';
    };
    TransfersResponse: {
      data: components['schemas']['TransferResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example pending
     * @enum {string}
     */
    TransferStatus: 'pending' | 'succeeded' | 'canceled' | 'expired';
    TransferSucceededEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['TransferResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'transfer.succeeded';
    };
    UnappliedAmountResponse: {
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
    };
    UnappliedPaymentCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UnappliedPaymentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'unapplied_payment.created';
    };
    UnappliedPaymentNeedsAttentionEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UnappliedPaymentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'unapplied_payment.needs_attention';
    };
    /**
     * @example returned
     * @enum {string}
     */
    UnappliedPaymentResolution: 'returned' | 'retry';
    UnappliedPaymentResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int64
       * @description Minor units.
       * @example 1250
       */
      amount: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description ISO 4217 code.
       * @example USD
       */
      currency: string;
      /**
       * @description A code for why the payment needs attention.
       * @example charge_already_refunded
       */
      failure_reason: string | null;
      /** @example unp_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The payment request that the customer tried to pay.
       * @example pay_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      payment_request_id: string;
      /**
       * @description The processor's id of the payment; null for a payment that an operator recorded.
       * @example pi_3Q1a2b3c4d5e6f
       */
      processor_reference: string | null;
      /** @description Why the payment could not be applied to the payment request. */
      reason: components['schemas']['RejectionReason'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      returned_at: string | null;
      /** @description `needs_attention`: the service could not return the payment, and a person has to resolve it. */
      status: components['schemas']['UnappliedPaymentStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    UnappliedPaymentReturnedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UnappliedPaymentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'unapplied_payment.returned';
    };
    UnappliedPaymentsResponse: {
      data: components['schemas']['UnappliedPaymentResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example received
     * @enum {string}
     */
    UnappliedPaymentStatus: 'received' | 'returned' | 'needs_attention';
    UnappliedPaymentsTotalsResponse: {
      /** @description The sums of those that are counted. */
      amounts: components['schemas']['UnappliedAmountResponse'][];
      /**
       * Format: int32
       * @description At most 10,000 of each type and status are counted.
       * @example 3
       */
      count: number;
      /**
       * @description Whether the count has reached its limit, so that there may be more.
       * @example false
       */
      has_more: boolean;
      /**
       * Format: int32
       * @description How many of them have the status `needs_attention`.
       * @example 1
       */
      needs_attention: number;
      /** @description Absent if there is none. */
      oldest?: components['schemas']['WaitingObjectResponse'];
    };
    UnappliedPaymentUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UnappliedPaymentResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'unapplied_payment.updated';
    };
    UnhealthyEndpointsResponse: {
      /**
       * Format: int32
       * @description At most 10,000 of each type and status are counted.
       * @example 3
       */
      count: number;
      /**
       * @description Whether the count has reached its limit, so that there may be more.
       * @example false
       */
      has_more: boolean;
      /**
       * Format: date-time
       * @description Since when the first of them is so. Absent if there is none.
       * @example 2026-01-31T09:30:00.000Z
       */
      since?: string;
    };
    UpdateAccountRequest: {
      /**
       * Format: email
       * @example ada@example.com
       */
      email?: string;
      /** @example Lovelace & King Ltd */
      name?: string;
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
      settings?: components['schemas']['SettingsRequest'];
      status?: components['schemas']['SettableAccountStatus'];
    };
    UpdateOwnAccountRequest: {
      /**
       * Format: email
       * @example ada@example.com
       */
      email?: string;
      /** @example Lovelace & King Ltd */
      name?: string;
      settings?: components['schemas']['SettingsRequest'];
    };
    UpdateTransactionRequest: {
      /**
       * @description At most 50 keys of 1 to 40 characters, 8 KiB in all, nested at most 4 deep.
       * @example {
       *       "order": "2041"
       *     }
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @example invoice-2041 */
      reference?: string | null;
    };
    UpdateUserRequest: {
      /** @example Ada King */
      name?: string | null;
      /**
       * Format: password
       * @description At least 8 characters and at most 72 bytes of UTF-8, not a common password, and not only words of the email, of the name or of the service's name, with or without digits and punctuation.
       * @example correct horse battery staple
       */
      password?: string;
      /**
       * @description Why. Shown in the audit log.
       * @example Chargebacks above the limit
       */
      reason?: string;
      /** @description Only admins may set it. */
      role?: components['schemas']['Role'];
      status?: components['schemas']['UserStatus'];
    };
    UpdateWebhookRequest: {
      /**
       * @description Only events of these types are delivered; null or absent for all. An API key needs the scope that reads what they show, and without the member gets the types that it may read.
       * @example [
       *       "transaction.succeeded"
       *     ]
       */
      event_types?: string[] | null;
      /** @description A disabled endpoint gets no events. What is pending then fails, and can be sent again later. */
      status?: components['schemas']['WebhookStatus'];
      /**
       * @description An https URL that the internet can reach, without a user name, a password and a fragment. Outside production, http and private addresses work too.
       * @example https://example.com/webhooks
       */
      url?: string;
      /**
       * Format: date
       * @description The version of the API in which events are delivered; at first that of the account or the API key.
       * @example 2026-11-26
       */
      version?: string;
    };
    UserCreatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UserResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'user.created';
    };
    UserDeletedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UserResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'user.deleted';
    };
    UserPagination: {
      /**
       * Format: int32
       * @example 25
       */
      limit: number;
      /**
       * Format: int32
       * @example 1
       */
      page: number;
      /**
       * Format: int32
       * @example 4
       */
      total_pages: number;
      /**
       * Format: int32
       * @example 93
       */
      total_records: number;
    };
    UserResponse: {
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example ada@example.com */
      email: string;
      /** @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /** @example Ada Lovelace */
      name: string | null;
      status: components['schemas']['UserStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    UsersResponse: {
      data: components['schemas']['ViewedUserResponse'][];
      pagination: components['schemas']['UserPagination'];
    };
    /**
     * @example active
     * @enum {string}
     */
    UserStatus: 'active' | 'suspended' | 'pending';
    UserUpdatedEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example null
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['UserResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'user.updated';
    };
    VersionResponse: {
      /**
       * @description What has changed since the version before.
       * @example [
       *       "The accounts to which a transfer gives have an `account_name` instead of a `name`."
       *     ]
       */
      changes: string[];
      /**
       * Format: date
       * @example 2026-11-26
       */
      version: string;
    };
    ViewedUserResponse: {
      /**
       * @description The account that the user is linked to; null without one. Only with `view=full`.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id?: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example ada@example.com */
      email: string;
      /** @example usr_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description Whether the user was invited, and has not set a password yet. Only with `view=full`.
       * @example false
       */
      invited?: boolean;
      /** @description What the user is in the account; null without one. Only with `view=full`. */
      membership_role?: components['schemas']['MembershipRole'];
      /** @example Ada Lovelace */
      name: string | null;
      /** @description Only with `view=full`. */
      role?: components['schemas']['Role'];
      status: components['schemas']['UserStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
    };
    WaitingObjectResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /** @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
    };
    WebhookDeliveriesResponse: {
      data: components['schemas']['WebhookDeliveryResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    WebhookDeliveryResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * Format: int32
       * @description How often it was attempted, or since the last redelivery. At most ten times.
       * @example 1
       */
      attempts: number;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: int32
       * @description The duration of the last attempt.
       * @example 84
       */
      duration_ms: number | null;
      /**
       * @description What went wrong in the last attempt; null if nothing did. One of bad_status, redirect, timeout, dns, address_refused, certificate, connection, secret_lost, event_expired, endpoint_disabled; more may be added.
       * @example timeout
       */
      error: string | null;
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      event_id: string;
      /** @example transaction.succeeded */
      event_type: string;
      /** @example whd_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      last_attempt_at: string | null;
      /**
       * Format: date-time
       * @description When the next attempt is due; null unless the delivery is pending. While the endpoint is failing, it may be later.
       * @example 2026-01-31T09:30:00.000Z
       */
      next_attempt_at: string | null;
      /**
       * @description The first characters of the last response, at most 1,000; null without a response.
       * @example OK
       */
      response_body: string | null;
      /**
       * Format: int32
       * @description The status of the last response; null without a response.
       * @example 200
       */
      response_status: number | null;
      status: components['schemas']['WebhookDeliveryStatus'];
      /** @example whk_01k9x8v2t4e6rb3m5n7p9q1s0w */
      webhook_id: string;
    };
    /**
     * @example pending
     * @enum {string}
     */
    WebhookDeliveryStatus: 'pending' | 'succeeded' | 'failed';
    WebhookEndpointPingEvent: {
      /**
       * @description The account that the event belongs to; null for events that only operators see.
       * @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      account_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      data: {
        /** @description The resource after the change, as the operation that retrieves it returned it then. */
        object: components['schemas']['WebhookResponse'];
      };
      /** @example evt_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The resource that changed.
       * @example txn_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      object_id: string;
      /**
       * Format: int64
       * @description Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.
       * @example 2
       */
      sequence: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'webhook_endpoint.ping';
    };
    WebhookEndpointsTotalsResponse: {
      /** @description Disabled ones of open accounts. */
      disabled: components['schemas']['UnhealthyEndpointsResponse'];
      /** @description Enabled ones whose every attempt fails. */
      failing: components['schemas']['UnhealthyEndpointsResponse'];
    };
    WebhookResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * @description The API key that created it and with which it ends. Null if a person created or changed it.
       * @example key_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      api_key_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Why it is disabled, or null: requested, gone, failing, account_closed, api_key_ended; more may be added. `gone`: it responded with 410. `failing`: every attempt of three days failed. `api_key_ended`: the API key that created it was revoked or has expired.
       * @example failing
       */
      disabled_reason: string | null;
      /**
       * @description The types of the events that are delivered; null for all.
       * @example [
       *       "transaction.succeeded"
       *     ]
       */
      event_types: string[] | null;
      /**
       * Format: date-time
       * @description Since when every attempt has failed; null after one that succeeded.
       * @example 2026-01-31T09:30:00.000Z
       */
      failing_since: string | null;
      /** @example whk_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * Format: date-time
       * @description Until when deliveries are signed with a secret that the account knows, if an admin lets it expire: rotate the secret before. Null otherwise.
       * @example null
       */
      secret_expires_at: string | null;
      status: components['schemas']['WebhookStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
      /**
       * Format: uri
       * @example https://example.com/webhooks
       */
      url: string;
      /**
       * Format: date
       * @description The version of the API in which events are delivered.
       * @example 2026-11-26
       */
      version: string;
    };
    WebhooksResponse: {
      data: components['schemas']['WebhookResponse'][];
      /**
       * @description Whether there are more items in the direction of the cursor.
       * @example true
       */
      has_more: boolean;
      /**
       * @example list
       * @enum {string}
       */
      object: 'list';
    };
    /**
     * @example enabled
     * @enum {string}
     */
    WebhookState: 'enabled' | 'failing' | 'disabled';
    /**
     * @example enabled
     * @enum {string}
     */
    WebhookStatus: 'enabled' | 'disabled';
    WebhookTestResponse: {
      /**
       * @description Whether the endpoint responded with 2xx.
       * @example true
       */
      delivered: boolean;
      /**
       * Format: int32
       * @description The duration of the last attempt.
       * @example 84
       */
      duration_ms: number | null;
      /**
       * @description What went wrong in the last attempt; null if nothing did. One of bad_status, redirect, timeout, dns, address_refused, certificate, connection, secret_lost, event_expired, endpoint_disabled; more may be added.
       * @example timeout
       */
      error: string | null;
      /**
       * @description The first characters of the last response, at most 1,000; null without a response.
       * @example OK
       */
      response_body: string | null;
      /**
       * Format: int32
       * @description The status of the last response; null without a response.
       * @example 200
       */
      response_status: number | null;
    };
    WebhookWithSecretResponse: {
      /** @example acc_01k9x8v2t4e6rb3m5n7p9q1s0w */
      account_id: string;
      /**
       * @description The API key that created it and with which it ends. Null if a person created or changed it.
       * @example key_01k9x8v2t4e6rb3m5n7p9q1s0w
       */
      api_key_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Why it is disabled, or null: requested, gone, failing, account_closed, api_key_ended; more may be added. `gone`: it responded with 410. `failing`: every attempt of three days failed. `api_key_ended`: the API key that created it was revoked or has expired.
       * @example failing
       */
      disabled_reason: string | null;
      /**
       * @description The types of the events that are delivered; null for all.
       * @example [
       *       "transaction.succeeded"
       *     ]
       */
      event_types: string[] | null;
      /**
       * Format: date-time
       * @description Since when every attempt has failed; null after one that succeeded.
       * @example 2026-01-31T09:30:00.000Z
       */
      failing_since: string | null;
      /** @example whk_01k9x8v2t4e6rb3m5n7p9q1s0w */
      id: string;
      /**
       * @description The secret with which deliveries are signed. It is not shown again.
       * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0Zk6nNYpOuc=
       */
      secret: string;
      /**
       * Format: date-time
       * @description Until when deliveries are signed with a secret that the account knows, if an admin lets it expire: rotate the secret before. Null otherwise.
       * @example null
       */
      secret_expires_at: string | null;
      status: components['schemas']['WebhookStatus'];
      /**
       * Format: date-time
       * @example 2026-01-31T09:30:00.000Z
       */
      updated_at: string;
      /**
       * Format: uri
       * @example https://example.com/webhooks
       */
      url: string;
      /**
       * Format: date
       * @description The version of the API in which events are delivered.
       * @example 2026-11-26
       */
      version: string;
    };
  };
  responses: {
    /** @description `account_not_found`: The account does not exist, or this token has no access to it. */
    AccountNotFound: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `active_subscriptions`: Active subscriptions must be canceled first. `conflict`: The request conflicts with the current state of the resource. */
    ActiveSubscriptionsOrConflict: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_request`: The body is larger than 100 KB, or than 8 KB for an operation that needs no token. */
    BodyTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `conflict`: The request conflicts with the current state of the resource. */
    Conflict: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `conflict`: The request conflicts with the current state of the resource. `email_exists`: The email is in use. */
    ConflictOrEmailExists: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `currency_mismatch`: The currency is not the account's base currency. `invalid_request`: A field is missing, malformed or has an invalid value. */
    CurrencyMismatchOrInvalidRequest: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `cursor_expired`: Events that follow the cursor have been deleted. */
    CursorExpired: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `email_exists`: The email is in use. */
    EmailExists: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `forbidden`: The token lacks the permission. */
    Forbidden: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `insufficient_funds`: The account's balance is too low. */
    InsufficientFunds: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `internal_error`: An internal error. It is logged under the X-Request-Id. */
    InternalError: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_credentials`: The email, the password or the code is wrong. `otp_required`: The password is right, and the code of the second factor is missing. `unauthorized`: The token is missing, invalid or expired, or lacks the permission. */
    InvalidCredentialsOrOtpRequiredOrUnauthorized: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_credentials`: The email, the password or the code is wrong. `unauthorized`: The token is missing, invalid or expired, or lacks the permission. */
    InvalidCredentialsOrUnauthorized: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_request`: A field is missing, malformed or has an invalid value. */
    InvalidRequest: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_request`: A field is missing, malformed or has an invalid value. `invalid_reset_token`: The link to set a new password is unknown, has expired or was used. */
    InvalidRequestOrInvalidResetToken: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_session`: The session does not exist or has ended already. */
    InvalidSession: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `invalid_session`: The session does not exist or has ended already. `not_found`: The resource does not exist, or this token has no access to it. */
    InvalidSessionOrNotFound: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `not_cancellable`: The status of the resource no longer allows it to be canceled. */
    NotCancellable: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `not_found`: The resource does not exist, or this token has no access to it. */
    NotFound: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `precondition_failed`: The resource has changed since the version that If-Match names. Read it again. */
    PreconditionFailed: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `rate_limited`: Too many requests. Wait for the seconds in Retry-After. */
    RateLimited: {
      headers: {
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'Retry-After': components['headers']['RetryAfter'];
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `unauthorized`: The token is missing, invalid or expired, or lacks the permission. */
    Unauthorized: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description `unavailable`: The service is temporarily unavailable. Retry shortly. */
    Unavailable: {
      headers: {
        'Retry-After': components['headers']['RetryAfter'];
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: {
    /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
    Version: '2026-11-26' | '2026-11-20';
  };
  requestBodies: never;
  headers: {
    /** @description What is left of them: `r` requests, for `t` seconds. */
    RateLimit: string;
    /** @description The limits that apply: `q` requests in `w` seconds. */
    RateLimitPolicy: string;
    /** @description Names the request in the log. The service takes the `X-Request-Id` of the request if it has 1 to 64 letters, digits, `-` and `_`. */
    RequestId: string;
    /** @description Seconds after which a retry may succeed, if known. */
    RetryAfter: number;
    /** @description The version of the API in which the response is. */
    Version: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getLiveness: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The process is running. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The service can serve requests. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadinessResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getOwnAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  closeOwnAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account is closed. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ClosedAccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['ActiveSubscriptionsOrConflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateOwnAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes. */
        'If-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Lovelace & King Ltd",
         *       "email": "ada@example.com",
         *       "settings": {
         *         "currency": "USD",
         *         "timezone": "Europe/Berlin",
         *         "language": "de-DE"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateOwnAccountRequest'];
      };
    };
    responses: {
      /** @description The updated account. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['ConflictOrEmailExists'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  inviteAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "name": "Lovelace Ltd",
         *       "type": "individual",
         *       "settings": {
         *         "currency": "USD",
         *         "timezone": "Europe/Berlin",
         *         "language": "de-DE"
         *       }
         *     }
         */
        'application/json': components['schemas']['InviteAccountRequest'];
      };
    };
    responses: {
      /** @description The new account. The email is on its way. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['EmailExists'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getOwnBalance: {
    parameters: {
      query?: {
        /** @description Returns the posted balance at this time. A date without a time means the end of that UTC day. */
        as_of?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The balance. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listOwnEntries: {
    parameters: {
      query?: {
        /** @description Only entries posted at this time or later. */
        date_from?: string;
        /** @description Only entries posted at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest entries that are newer than the one with this id or number. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description Returns both entries of each posting; by default only that of the account itself. */
        legs?: 'both';
        /** @description The maximum number of entries on the page. */
        limit?: number;
        /** @description Returns entries older than the one with this id or number. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EntriesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getOwnStatement: {
    parameters: {
      query?: {
        /** @description What `Accept` prefers by default (`text/csv`, `application/xml`, `application/pdf`), else `json`; `camt053` is the XML of ISO 20022, camt.053.001.08; `pdf` is for people. */
        format?: components['schemas']['StatementFormat'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description A year, a month or a day, in UTC. */
        period: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StatementResponse'];
          'application/pdf': string;
          'application/xml': string;
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getOwnVersion: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The version. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PinnedVersionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateOwnVersion: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "version": "2026-11-26"
         *     }
         */
        'application/json': components['schemas']['PinAccountRequest'];
      };
    };
    responses: {
      /** @description The version after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PinnedVersionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAccounts: {
    parameters: {
      query?: {
        /** @description Only accounts created at this time or later. */
        created_after?: string;
        /** @description Only accounts created at this time or earlier. */
        created_before?: string;
        /** @description Only the account with this email, case-insensitive. */
        email?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all accounts that match, whatever `limit` says, and takes no `page`. */
        format?: components['schemas']['ListFormat'];
        /** @description Only the account with this id, or those with these ids: at most 100, separated by commas. */
        id?: string;
        /** @description Accounts per page. */
        limit?: number;
        /** @description How the name begins, case-insensitive. Rejected if more than 1,000 names begin so. */
        name?: string;
        /** @description Counts from 1. */
        page?: number;
        /** @description Only accounts of this status. */
        status?: components['schemas']['AccountStatus'];
        /** @description Only accounts of this type. */
        type?: components['schemas']['AccountType'];
        /** @description Returns whole objects instead of short ones. */
        view?: 'full';
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "name": "Lovelace Ltd",
         *       "type": "individual",
         *       "settings": {
         *         "currency": "USD",
         *         "timezone": "Europe/Berlin",
         *         "language": "de-DE"
         *       },
         *       "password": "correct horse battery staple"
         *     }
         */
        'application/json': components['schemas']['CreateAccountRequest'];
      };
    };
    responses: {
      /** @description The new account. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['EmailExists'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  closeAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes. */
        'If-Match'?: string;
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['CloseAccountRequest'];
      };
    };
    responses: {
      /** @description The account is closed. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ClosedAccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['ActiveSubscriptionsOrConflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes. */
        'If-Match'?: string;
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Lovelace & King Ltd",
         *       "email": "ada@example.com",
         *       "settings": {
         *         "currency": "USD",
         *         "timezone": "Europe/Berlin",
         *         "language": "de-DE"
         *       },
         *       "status": "active",
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['UpdateAccountRequest'];
      };
    };
    responses: {
      /** @description The updated account. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['ConflictOrEmailExists'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createAdjustment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "amount": 1250,
         *       "currency": "USD",
         *       "direction": "credit",
         *       "reason": "A fee was charged twice on 3 November.",
         *       "reference": "invoice-2041"
         *     }
         */
        'application/json': components['schemas']['CreateAdjustmentRequest'];
      };
    };
    responses: {
      /** @description The new adjustment. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdjustmentResponse'];
        };
      };
      400: components['responses']['CurrencyMismatchOrInvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getBalance: {
    parameters: {
      query?: {
        /** @description Returns the posted balance at this time. A date without a time means the end of that UTC day. */
        as_of?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The balance. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listEntries: {
    parameters: {
      query?: {
        /** @description Only entries posted at this time or later. */
        date_from?: string;
        /** @description Only entries posted at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest entries that are newer than the one with this id or number. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description Returns both entries of each posting; by default only that of the account itself. */
        legs?: 'both';
        /** @description The maximum number of entries on the page. */
        limit?: number;
        /** @description Returns entries older than the one with this id or number. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EntriesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAccountNotes: {
    parameters: {
      query?: {
        /** @description Returns the nearest notes that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of notes on the page. */
        limit?: number;
        /** @description Returns notes older than the one with this id. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createAccountNote: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "text": "Called on Monday; asked for a copy of the contract."
         *     }
         */
        'application/json': components['schemas']['CreateNoteRequest'];
      };
    };
    responses: {
      /** @description The new note. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NoteResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteAccountNote: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
        /** @description The id of the note. */
        note_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The note is deleted. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedNoteResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  resetSecondFactorOfAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The second factor is off. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAccountSessions: {
    parameters: {
      query?: {
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all live sessions. */
        format?: components['schemas']['ListFormat'];
        /** @description The number of sessions per page. */
        limit?: number;
        /** @description The page number, starting at 1. A page that begins after 10,000 live sessions is rejected (`invalid_request`). */
        page?: number;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of the live sessions, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubjectSessionsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  endAccountSessions: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All sessions have ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  endAccountSession: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
        /** @description The id of the session. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session has ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['InvalidSessionOrNotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getStatement: {
    parameters: {
      query?: {
        /** @description What `Accept` prefers by default (`text/csv`, `application/xml`, `application/pdf`), else `json`; `camt053` is the XML of ISO 20022, camt.053.001.08; `pdf` is for people. */
        format?: components['schemas']['StatementFormat'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the account. */
        account_id: string;
        /** @description A year, a month or a day, in UTC. */
        period: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StatementResponse'];
          'application/pdf': string;
          'application/xml': string;
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAdjustments: {
    parameters: {
      query?: {
        /** @description Only adjustments with this account id. */
        account_id?: string;
        /** @description Only adjustments created at this time or later. */
        date_from?: string;
        /** @description Only adjustments created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest adjustments that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of adjustments on the page. */
        limit?: number;
        /** @description Only adjustments with this reference. */
        reference?: string;
        /** @description Returns adjustments older than the one with this id. */
        starting_after?: string;
        /** @description Only adjustments with this status. */
        status?: components['schemas']['AdjustmentStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdjustmentsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getAdjustment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the adjustment. */
        adjustment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The adjustment. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdjustmentResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        /** @description The account whose keys an admin lists; by default the platform keys. */
        account_id?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all keys of the list, whatever `limit` says, and takes no `page`. */
        format?: components['schemas']['ListFormat'];
        /** @description The number of keys per page. */
        limit?: number;
        /** @description The page number, starting at 1. */
        page?: number;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of the live keys, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeysResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Web shop",
         *       "scopes": [
         *         "transactions:read",
         *         "payments:write"
         *       ],
         *       "allowed_addresses": [],
         *       "role": "user"
         *     }
         */
        'application/json': components['schemas']['CreateApiKeyRequest'];
      };
    };
    responses: {
      /** @description The new key. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedApiKeyResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the API key. */
        api_key_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['RevokeApiKeyRequest'];
      };
    };
    responses: {
      /** @description The key is revoked. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedApiKeyResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listApprovals: {
    parameters: {
      query?: {
        /** @description Only approvals with this account id. */
        account_id?: string;
        /** @description Only approvals created at this time or later. */
        date_from?: string;
        /** @description Only approvals created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest approvals that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of approvals on the page. */
        limit?: number;
        /** @description Returns approvals older than the one with this id. */
        starting_after?: string;
        /** @description Only approvals with this status. */
        status?: components['schemas']['ApprovalStatus'];
        /** @description Only approvals with this type. */
        type?: components['schemas']['ApprovalType'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  requestApproval: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "type": "close_account",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "reason": "Closes at the wish of its owner, who has died."
         *     }
         */
        'application/json': components['schemas']['RequestApprovalRequest'];
      };
    };
    responses: {
      /** @description The new approval, which is pending. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getApproval: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the approval. */
        approval_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The approval. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  approveApproval: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the approval. */
        approval_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['ApproveApprovalRequest'];
      };
    };
    responses: {
      /** @description The approval. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['ActiveSubscriptionsOrConflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  rejectApproval: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the approval. */
        approval_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "reason": "The amount is wrong."
         *     }
         */
        'application/json': components['schemas']['RejectApprovalRequest'];
      };
    };
    responses: {
      /** @description The approval. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAuditLog: {
    parameters: {
      query?: {
        /** @description Only entries with this account id. */
        account_id?: string;
        /** @description Only entries with this action. */
        action?: string;
        /** @description Only entries with this actor id. */
        actor_id?: string;
        /** @description Only entries created at this time or later. */
        date_from?: string;
        /** @description Only entries created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest entries that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of entries on the page. */
        limit?: number;
        /** @description Only entries with this object id. */
        object_id?: string;
        /** @description Only entries with this outcome. */
        outcome?: components['schemas']['AuditOutcome'];
        /** @description `false` leaves out the reads of users, accounts and sessions. */
        reads?: 'true' | 'false';
        /** @description Returns entries older than the one with this id. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditLogResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getAuditEntry: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the entry. */
        audit_entry_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entry. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditEntryResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listOwnEmails: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The emails. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmailsResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  changeEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "current_password": "correct horse battery staple",
         *       "email": "ada@example.com"
         *     }
         */
        'application/json': components['schemas']['ChangeEmailRequest'];
      };
    };
    responses: {
      /** @description The email was changed. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrUnauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['EmailExists'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  requestEmailVerification: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The email will be sent, unless the email is verified. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  login: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "password": "correct horse battery staple"
         *     }
         */
        'application/json': components['schemas']['LoginRequest'];
      };
    };
    responses: {
      /** @description The tokens of a new session. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokensResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrOtpRequiredOrUnauthorized'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getSecondFactor: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The state of the second factor. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SecondFactorResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  enrolSecondFactor: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "password": "correct horse battery staple"
         *     }
         */
        'application/json': components['schemas']['BeginEnrolmentRequest'];
      };
    };
    responses: {
      /** @description The secret, which is not shown again. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolmentResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrOtpRequiredOrUnauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  disableSecondFactor: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "otp": "492039"
         *     }
         */
        'application/json': components['schemas']['OtpRequest'];
      };
    };
    responses: {
      /** @description The second factor is off. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrUnauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  confirmSecondFactor: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "otp": "492039"
         *     }
         */
        'application/json': components['schemas']['ConfirmEnrolmentRequest'];
      };
    };
    responses: {
      /** @description The recovery codes, which are not shown again. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryCodesResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrUnauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  replaceRecoveryCodes: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "otp": "492039"
         *     }
         */
        'application/json': components['schemas']['OtpRequest'];
      };
    };
    responses: {
      /** @description The recovery codes, which are not shown again. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryCodesResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrUnauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  changePassword: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "current_password": "correct horse battery staple",
         *       "password": "correct horse battery staple"
         *     }
         */
        'application/json': components['schemas']['ChangePasswordRequest'];
      };
    };
    responses: {
      /** @description The password was changed. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['InvalidCredentialsOrUnauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  requestPasswordReset: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com"
         *     }
         */
        'application/json': components['schemas']['RequestPasswordResetRequest'];
      };
    };
    responses: {
      /** @description The email will be sent if the email address is known. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  resetPassword: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ",
         *       "password": "correct horse battery staple"
         *     }
         */
        'application/json': components['schemas']['ResetPasswordRequest'];
      };
    };
    responses: {
      /** @description The password was changed. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequestOrInvalidResetToken'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  refreshTokens: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "refresh_token": "6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ"
         *     }
         */
        'application/json': components['schemas']['RefreshRequest'];
      };
    };
    responses: {
      /** @description New tokens of the same session. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokensResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /** @example {} */
        'application/json': components['schemas']['EndSessionRequest'];
      };
    };
    responses: {
      /** @description The session has ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['InvalidSession'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listSessions: {
    parameters: {
      query?: {
        /** @description The number of sessions per page. */
        limit?: number;
        /** @description The page number, starting at 1. A page that begins after 10,000 live sessions is rejected (`invalid_request`). */
        page?: number;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of the live sessions, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionsResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description Only events with this account id. */
        account_id?: string;
        /** @description Only events created at this time or later. */
        date_from?: string;
        /** @description Only events created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest events that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of events on the page. */
        limit?: number;
        /** @description Only events with this object id. */
        object_id?: string;
        /** @description By default `desc`. `asc` returns the oldest first, or the smallest. The cursors follow the order: `starting_after` then returns newer items. */
        order?: 'asc' | 'desc';
        /** @description Returns events older than the one with this id. */
        starting_after?: string;
        /** @description Only events of this type, or of these types, separated by commas. */
        type?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      410: components['responses']['CursorExpired'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getEvent: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the event. */
        event_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listPaymentRequests: {
    parameters: {
      query?: {
        /** @description Only payment requests with this account id. */
        account_id?: string;
        /** @description Only payment requests of this amount or less, in minor units. */
        amount_max?: number;
        /** @description Only payment requests of this amount or more, in minor units. */
        amount_min?: number;
        /** @description Only payment requests with this customer email. */
        customer_email?: string;
        /** @description Only payment requests created at this time or later. */
        date_from?: string;
        /** @description Only payment requests created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest payment requests that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of payment requests on the page. */
        limit?: number;
        /** @description By default `desc`. `asc` returns the oldest first, or the smallest. The cursors follow the order: `starting_after` then returns newer items. */
        order?: 'asc' | 'desc';
        /** @description Only payment requests with this reference. */
        reference?: string;
        /** @description By default `created_at`. `amount` returns the largest first. The item of a cursor must exist, and other filters must leave few items, or have some among the next by amount. */
        sort?: 'created_at' | 'amount';
        /** @description Returns payment requests older than the one with this id. */
        starting_after?: string;
        /** @description Only payment requests with this status. */
        status?: components['schemas']['PaymentRequestStatus'];
        /** @description Only the payment request with this payment reference of a bank transfer. */
        transfer_reference?: string;
        /** @description Returns whole objects instead of short ones. */
        view?: 'full';
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentRequestsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createPaymentRequest: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "amount": 1250,
         *       "currency": "USD",
         *       "reference": "invoice-2041",
         *       "customer_email": "ada@example.com",
         *       "metadata": {
         *         "order": "2041"
         *       },
         *       "return_url": "https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}",
         *       "cancel_url": "https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}"
         *     }
         */
        'application/json': components['schemas']['CreatePaymentRequestRequest'];
      };
    };
    responses: {
      /** @description The result of a dry run. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentRequestDryRunResponse'];
        };
      };
      /** @description The new payment request. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedPaymentRequestResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['AccountNotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getPaymentRequest: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payment request. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetrievedPaymentRequestResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelPaymentRequest: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payment request is canceled. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CanceledPaymentRequestResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['NotCancellable'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  sendPaymentEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The email is on its way. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RepeatedEmailResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  settlePaymentRequest: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "outcome": "succeeded",
         *       "amount": 1250
         *     }
         */
        'application/json': components['schemas']['SettlePaymentRequestRequest'];
      };
    };
    responses: {
      /** @description The payment request after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentRequestResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getPaymentRequestStatus: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The status of the payment request. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentRequestStatusResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  recordUnappliedPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the payment request. */
        payment_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "amount": 1250
         *     }
         */
        'application/json': components['schemas']['RecordUnappliedPaymentRequest'];
      };
    };
    responses: {
      /** @description The unapplied payment. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnappliedPaymentResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listRequests: {
    parameters: {
      query?: {
        /** @description Only requests with this account id. */
        account_id?: string;
        /** @description Only requests created at this time or later. */
        date_from?: string;
        /** @description Only requests created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest requests that are newer than the one with this id. */
        ending_before?: string;
        /** @description Only requests with this error. */
        error?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of requests on the page. */
        limit?: number;
        /** @description Returns requests older than the one with this id. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listSavedViews: {
    parameters: {
      query?: {
        /** @description Returns the nearest views that are newer than the one with this id. */
        ending_before?: string;
        /** @description The maximum number of views on the page. */
        limit?: number;
        /** @description Only the views of this list. */
        page?: components['schemas']['SavedViewPage'];
        /** @description Returns views older than the one with this id. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SavedViewsResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createSavedView: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "page": "transactions",
         *       "name": "Failed payments",
         *       "query": {
         *         "status": "failed",
         *         "type": "payment"
         *       },
         *       "shared": false
         *     }
         */
        'application/json': components['schemas']['CreateSavedViewRequest'];
      };
    };
    responses: {
      /** @description The new view. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SavedViewResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteSavedView: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the view. */
        view_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The view is deleted. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedSavedViewResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  search: {
    parameters: {
      query: {
        /** @description An id, an email address or a reference, or a part of a name, an email or a reference. White space around it is ignored. */
        q: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What was found. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SearchResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listSubscriptions: {
    parameters: {
      query?: {
        /** @description Only subscriptions with this account id. */
        account_id?: string;
        /** @description Only subscriptions with this customer email. */
        customer_email?: string;
        /** @description Only subscriptions created at this time or later. */
        date_from?: string;
        /** @description Only subscriptions created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest subscriptions that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of subscriptions on the page. */
        limit?: number;
        /** @description Only subscriptions with this reference. */
        reference?: string;
        /** @description Returns subscriptions older than the one with this id. */
        starting_after?: string;
        /** @description Only subscriptions with this status. */
        status?: components['schemas']['SubscriptionStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubscriptionsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createSubscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "amount": 1250,
         *       "currency": "USD",
         *       "reference": "invoice-2041",
         *       "customer_email": "ada@example.com",
         *       "interval": "day",
         *       "metadata": {
         *         "order": "2041"
         *       },
         *       "return_url": "https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}",
         *       "cancel_url": "https://shop.example.com/orders/2041?payment={PAYMENT_REQUEST_ID}"
         *     }
         */
        'application/json': components['schemas']['CreateSubscriptionRequest'];
      };
    };
    responses: {
      /** @description The result of a dry run. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubscriptionDryRunResponse'];
        };
      };
      /** @description The new subscription. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubscriptionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['AccountNotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getSubscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the subscription. */
        subscription_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubscriptionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelSubscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the subscription. */
        subscription_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription is canceled. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CanceledSubscriptionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['NotCancellable'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getTotals: {
    parameters: {
      query?: {
        /** @description Only the money in this currency. */
        currency?: string;
        /** @description The first day, in UTC. By default 29 days before `to`. */
        from?: string;
        /** @description The last day, in UTC. By default today. At most 366 days are returned. */
        to?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The totals. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TotalsResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listTransactions: {
    parameters: {
      query?: {
        /** @description Only transactions with this account id. */
        account_id?: string;
        /** @description Only transactions of this amount or less, in minor units. */
        amount_max?: number;
        /** @description Only transactions of this amount or more, in minor units. */
        amount_min?: number;
        /** @description Only transactions created at this time or later. */
        date_from?: string;
        /** @description Only transactions created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest transactions that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of transactions on the page. */
        limit?: number;
        /** @description By default `desc`. `asc` returns the oldest first, or the smallest. The cursors follow the order: `starting_after` then returns newer items. */
        order?: 'asc' | 'desc';
        /** @description Only transactions with this payment request id. */
        payment_request_id?: string;
        /** @description Only transactions with this reference. */
        reference?: string;
        /** @description By default `created_at`. `amount` returns the largest first. The item of a cursor must exist, and other filters must leave few items, or have some among the next by amount. */
        sort?: 'created_at' | 'amount';
        /** @description Only transactions with this source transaction id. */
        source_transaction_id?: string;
        /** @description Returns transactions older than the one with this id. */
        starting_after?: string;
        /** @description Only transactions with this status. */
        status?: components['schemas']['TransactionStatus'];
        /** @description Only transactions with this type. */
        type?: components['schemas']['TransactionType'];
        /** @description Returns whole objects instead of short ones. */
        view?: 'full';
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTransaction: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "amount": 1250,
         *       "currency": "USD",
         *       "reference": "invoice-2041",
         *       "type": "payment",
         *       "metadata": {
         *         "order": "2041"
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateTransactionRequest'];
      };
    };
    responses: {
      /** @description The result of a dry run. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionDryRunResponse'];
        };
      };
      /** @description The new transaction. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTransactionResponse'];
        };
      };
      400: components['responses']['CurrencyMismatchOrInvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getTransaction: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transaction. */
        transaction_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The transaction. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetrievedTransactionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelTransaction: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transaction. */
        transaction_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The transaction is canceled. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CanceledTransactionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['NotCancellable'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateTransaction: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transaction. */
        transaction_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "reference": "invoice-2041",
         *       "metadata": {
         *         "order": "2041"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateTransactionRequest'];
      };
    };
    responses: {
      /** @description The updated transaction. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  settleTransaction: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transaction. */
        transaction_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "outcome": "succeeded"
         *     }
         */
        'application/json': components['schemas']['SettleTransactionRequest'];
      };
    };
    responses: {
      /** @description The transaction after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTransactions: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "mode": "atomic",
         *       "transactions": [
         *         {
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "reference": "invoice-2041",
         *           "type": "payment",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "idempotency_key": "invoice-2041"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['CreateTransactionsRequest'];
      };
    };
    responses: {
      /** @description The transactions, in the order of the request. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionBatchResponse'];
        };
      };
      400: components['responses']['CurrencyMismatchOrInvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listTransfers: {
    parameters: {
      query?: {
        /** @description Only transfers with this account id. */
        account_id?: string;
        /** @description Only transfers of this amount or less, in minor units. */
        amount_max?: number;
        /** @description Only transfers of this amount or more, in minor units. */
        amount_min?: number;
        /** @description Only transfers created at this time or later. */
        date_from?: string;
        /** @description Only transfers created at this time or earlier. */
        date_to?: string;
        /** @description Only transfers with this direction. */
        direction?: components['schemas']['TransferDirection'];
        /** @description Returns the nearest transfers that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of transfers on the page. */
        limit?: number;
        /** @description Only transfers with this reference. */
        reference?: string;
        /** @description Only transfers with this reversal of. */
        reversal_of?: string;
        /** @description Only transfers with this source transaction id. */
        source_transaction_id?: string;
        /** @description Returns transfers older than the one with this id. */
        starting_after?: string;
        /** @description Only transfers with this status. */
        status?: components['schemas']['TransferStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransfersResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "to_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0x",
         *       "amount": 1250,
         *       "currency": "USD",
         *       "reference": "invoice-2041",
         *       "metadata": {
         *         "order": "2041"
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateTransferRequest'];
      };
    };
    responses: {
      /** @description The result of a dry run. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferDryRunResponse'];
        };
      };
      /** @description The new transfer. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferResponse'];
        };
      };
      400: components['responses']['CurrencyMismatchOrInvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transfer. */
        transfer_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The transfer. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transfer. */
        transfer_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The transfer is canceled. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CanceledTransferResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['NotCancellable'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  captureTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the transfer. */
        transfer_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /** @example {} */
        'application/json': components['schemas']['CaptureTransferRequest'];
      };
    };
    responses: {
      /** @description The transfer, which has succeeded. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  reverseTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the transfer. */
        transfer_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "reference": "invoice-2041",
         *       "metadata": {
         *         "order": "2041"
         *       }
         *     }
         */
        'application/json': components['schemas']['ReverseTransferRequest'];
      };
    };
    responses: {
      /** @description The result of a dry run. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReversalDryRunResponse'];
        };
      };
      /** @description The transfer back. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTransfers: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "mode": "atomic",
         *       "transfers": [
         *         {
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "to_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0x",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "idempotency_key": "invoice-2041"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['CreateTransfersRequest'];
      };
    };
    responses: {
      /** @description The transfers, in the order of the request. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferBatchResponse'];
        };
      };
      400: components['responses']['CurrencyMismatchOrInvalidRequest'];
      401: components['responses']['Unauthorized'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listUnappliedPayments: {
    parameters: {
      query?: {
        /** @description Only unapplied payments with this account id. */
        account_id?: string;
        /** @description Only unapplied payments created at this time or later. */
        date_from?: string;
        /** @description Only unapplied payments created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest unapplied payments that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of unapplied payments on the page. */
        limit?: number;
        /** @description Only unapplied payments with this reason. */
        reason?: components['schemas']['RejectionReason'];
        /** @description Returns unapplied payments older than the one with this id. */
        starting_after?: string;
        /** @description Only unapplied payments with this status. */
        status?: components['schemas']['UnappliedPaymentStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnappliedPaymentsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getUnappliedPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the unapplied payment. */
        unapplied_payment_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The unapplied payment. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnappliedPaymentResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  resolveUnappliedPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the unapplied payment. */
        unapplied_payment_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "outcome": "returned"
         *     }
         */
        'application/json': components['schemas']['ResolveUnappliedPaymentRequest'];
      };
    };
    responses: {
      /** @description The unapplied payment after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnappliedPaymentResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  inviteUser: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "name": "Ada Lovelace"
         *     }
         */
        'application/json': components['schemas']['InviteUserRequest'];
      };
    };
    responses: {
      /** @description The new user. The email is on its way. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['ConflictOrEmailExists'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listUsers: {
    parameters: {
      query?: {
        /** @description Returns only users linked to this account. */
        account_id?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all users that match, whatever `limit` says, and takes no `page`. */
        format?: components['schemas']['ListFormat'];
        /** @description The number of users per page. */
        limit?: number;
        /** @description The page number, starting at 1. */
        page?: number;
        /** @description Returns only users with this role. */
        role?: components['schemas']['Role'];
        /** @description A substring of the name or the email, case-insensitive. Rejected (`invalid_request`) if more than 10,000 users match, or would have to be read because the text has no three letters or digits in a row: send more of it, or another filter. */
        search?: string;
        /** @description Returns only users with this status. */
        status?: components['schemas']['UserStatus'];
        /** @description Returns whole objects instead of short ones. */
        view?: 'full';
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of users. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsersResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createUser: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "password": "correct horse battery staple",
         *       "name": "Ada Lovelace"
         *     }
         */
        'application/json': components['schemas']['CreateUserRequest'];
      };
    };
    responses: {
      /** @description The new user. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['ConflictOrEmailExists'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getUser: {
    parameters: {
      query?: {
        /** @description Returns whole objects instead of short ones. */
        view?: 'full';
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ViewedUserResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteUser: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes. */
        'If-Match'?: string;
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user is deleted and its sessions have ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedUserResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateUser: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes. */
        'If-Match'?: string;
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Ada King",
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['UpdateUserRequest'];
      };
    };
    responses: {
      /** @description The updated user. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description The version of the resource, for `If-Match`: its `updated_at` in quotes. */
          ETag?: string;
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listUserNotes: {
    parameters: {
      query?: {
        /** @description Returns the nearest notes that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of notes on the page. */
        limit?: number;
        /** @description Returns notes older than the one with this id. */
        starting_after?: string;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createUserNote: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "text": "Called on Monday; asked for a copy of the contract."
         *     }
         */
        'application/json': components['schemas']['CreateNoteRequest'];
      };
    };
    responses: {
      /** @description The new note. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NoteResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteUserNote: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the note. */
        note_id: string;
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The note is deleted. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedNoteResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  resetSecondFactorOfUser: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The second factor is off. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listUserSessions: {
    parameters: {
      query?: {
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all live sessions. */
        format?: components['schemas']['ListFormat'];
        /** @description The number of sessions per page. */
        limit?: number;
        /** @description The page number, starting at 1. A page that begins after 10,000 live sessions is rejected (`invalid_request`). */
        page?: number;
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of the live sessions, newest first. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubjectSessionsResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  endUserSessions: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All sessions have ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  endUserSession: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the session. */
        session_id: string;
        /** @description The id of the user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session has ended. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessionResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['InvalidSessionOrNotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAllWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries created at this time or later. */
        date_from?: string;
        /** @description Only deliveries created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest deliveries that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of deliveries on the page. */
        limit?: number;
        /** @description Returns deliveries older than the one with this id. */
        starting_after?: string;
        /** @description Only deliveries with this status. */
        status?: components['schemas']['WebhookDeliveryStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveriesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  redeliverAllFailedWebhooks: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "starting_after": "whd_01k9x8v2t4e6rb3m5n7p9q1s0w"
         *     }
         */
        'application/json': components['schemas']['RedeliverAllRequest'];
      };
    };
    responses: {
      /** @description What was done. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RedeliveredBatchResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** @description Only webhook endpoints with this account id. */
        account_id?: string;
        /** @description Only webhook endpoints created at this time or later. */
        date_from?: string;
        /** @description Only webhook endpoints created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest webhook endpoints that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of webhook endpoints on the page. */
        limit?: number;
        /** @description Returns webhook endpoints older than the one with this id. */
        starting_after?: string;
        /** @description Only webhook endpoints with this status. `failing` are enabled ones whose every attempt fails; `disabled` are those of open accounts. */
        status?: components['schemas']['WebhookState'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhooksResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
        /** @description Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "url": "https://example.com/webhooks",
         *       "event_types": [
         *         "transaction.succeeded"
         *       ]
         *     }
         */
        'application/json': components['schemas']['CreateWebhookRequest'];
      };
    };
    responses: {
      /** @description The new webhook endpoint with its secret. */
      201: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          /** @description `true` when the response is a replay of a stored one. */
          'Idempotency-Replayed'?: 'true';
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecretResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook endpoint. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook endpoint is deleted. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "url": "https://example.com/webhooks",
         *       "event_types": [
         *         "transaction.succeeded"
         *       ],
         *       "status": "enabled"
         *     }
         */
        'application/json': components['schemas']['UpdateWebhookRequest'];
      };
    };
    responses: {
      /** @description The webhook endpoint after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries with this account id. */
        account_id?: string;
        /** @description Only deliveries created at this time or later. */
        date_from?: string;
        /** @description Only deliveries created at this time or earlier. */
        date_to?: string;
        /** @description Returns the nearest deliveries that are newer than the one with this id. */
        ending_before?: string;
        /** @description What `Accept` prefers by default, else `json`. `csv` returns all items from `starting_after` on, whatever `limit` says. */
        format?: components['schemas']['ListFormat'];
        /** @description The maximum number of deliveries on the page. */
        limit?: number;
        /** @description Returns deliveries older than the one with this id. */
        starting_after?: string;
        /** @description Only deliveries with this status. */
        status?: components['schemas']['WebhookDeliveryStatus'];
      };
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveriesResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  redeliverWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the delivery. */
        delivery_id: string;
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery, which is pending. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveryResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  redeliverFailedWebhooks: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /** @example {} */
        'application/json': components['schemas']['RedeliverFailedRequest'];
      };
    };
    responses: {
      /** @description How many deliveries are pending again. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RedeliveredResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook endpoint with its new secret. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecretResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  expireWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "reason": "Chargebacks above the limit"
         *     }
         */
        'application/json': components['schemas']['ExpireWebhookSecretRequest'];
      };
    };
    responses: {
      /** @description The webhook endpoint after the change. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Responds in this version of the API. By default, it is the one to which the account or the API key is pinned, and the newest without one. */
        'Countinghouse-Version'?: components['parameters']['Version'];
      };
      path: {
        /** @description The id of the webhook endpoint. */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'Countinghouse-Version': components['headers']['Version'];
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookTestResponse'];
        };
      };
      400: components['responses']['InvalidRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  accountActivatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.activated",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountActivatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  accountClosedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.closed",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "closed",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountClosedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  accountCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  accountMadePendingWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.made_pending",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountMadePendingEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  accountSuspendedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.suspended",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "suspended",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountSuspendedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  accountUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "account.updated",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "books@example.com",
         *           "name": "Lovelace Ltd",
         *           "type": "individual",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "settings": {
         *             "currency": "EUR",
         *             "timezone": "Europe/Berlin",
         *             "language": "de-DE"
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AccountUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  adjustmentCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "adjustment.created",
         *       "account_id": null,
         *       "object_id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "credit",
         *           "reason": "A fee was charged twice on 3 November.",
         *           "reference": "invoice-2041",
         *           "created_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "approval_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AdjustmentCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  adjustmentExpiredWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "adjustment.expired",
         *       "account_id": null,
         *       "object_id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "expired",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "credit",
         *           "reason": "A fee was charged twice on 3 November.",
         *           "reference": "invoice-2041",
         *           "created_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "approval_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AdjustmentExpiredEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  adjustmentPostedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "adjustment.posted",
         *       "account_id": null,
         *       "object_id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "posted",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "credit",
         *           "reason": "A fee was charged twice on 3 November.",
         *           "reference": "invoice-2041",
         *           "created_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "approval_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AdjustmentPostedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  adjustmentRejectedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "adjustment.rejected",
         *       "account_id": null,
         *       "object_id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "adj_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "rejected",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "credit",
         *           "reason": "A fee was charged twice on 3 November.",
         *           "reference": "invoice-2041",
         *           "created_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "approval_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['AdjustmentRejectedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  apiKeyCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "api_key.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "key_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "key_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "role": "user",
         *           "name": "Web shop",
         *           "last_four": "x7Qa",
         *           "scopes": [
         *             "transactions:read"
         *           ],
         *           "allowed_addresses": [
         *             "203.0.113.7"
         *           ],
         *           "version": "2026-11-26",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "last_used_at": null,
         *           "expires_at": "2027-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApiKeyCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  apiKeyRevokedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "api_key.revoked",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "key_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "key_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "role": "user",
         *           "name": "Web shop",
         *           "last_four": "x7Qa",
         *           "scopes": [
         *             "transactions:read"
         *           ],
         *           "allowed_addresses": [
         *             "203.0.113.7"
         *           ],
         *           "version": "2026-11-26",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "last_used_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2027-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApiKeyRevokedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  approvalApprovedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "approval.approved",
         *       "account_id": null,
         *       "object_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "type": "close_account",
         *           "status": "approved",
         *           "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "details": {},
         *           "reason": "Closes at the wish of its owner, who has died.",
         *           "requested_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "decided_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "rejection_reason": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2026-02-07T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApprovalApprovedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  approvalCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "approval.created",
         *       "account_id": null,
         *       "object_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "type": "close_account",
         *           "status": "pending",
         *           "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "details": {},
         *           "reason": "Closes at the wish of its owner, who has died.",
         *           "requested_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "decided_by": null,
         *           "rejection_reason": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2026-02-07T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApprovalCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  approvalExpiredWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "approval.expired",
         *       "account_id": null,
         *       "object_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "type": "close_account",
         *           "status": "expired",
         *           "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "details": {},
         *           "reason": "Closes at the wish of its owner, who has died.",
         *           "requested_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "decided_by": null,
         *           "rejection_reason": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2026-02-07T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApprovalExpiredEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  approvalRejectedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "approval.rejected",
         *       "account_id": null,
         *       "object_id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "apr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "type": "close_account",
         *           "status": "rejected",
         *           "object_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "details": {},
         *           "reason": "Closes at the wish of its owner, who has died.",
         *           "requested_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "decided_by": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "rejection_reason": "The amount is wrong.",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2026-02-07T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['ApprovalRejectedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  paymentRequestCanceledWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "payment_request.canceled",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "canceled",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PaymentRequestCanceledEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  paymentRequestCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "payment_request.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PaymentRequestCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  paymentRequestFailedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "payment_request.failed",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "failed",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PaymentRequestFailedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  paymentRequestSucceededWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "payment_request.succeeded",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "succeeded",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "transaction_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PaymentRequestSucceededEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  paymentRequestUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "payment_request.updated",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PaymentRequestUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  subscriptionCanceledWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "subscription.canceled",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "canceled",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "interval": "month",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "next_payment_at": null,
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['SubscriptionCanceledEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  subscriptionCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "subscription.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "interval": "month",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "next_payment_at": "2026-02-28T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['SubscriptionCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  subscriptionUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "subscription.updated",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "sub_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "customer_email": "customer@example.com",
         *           "interval": "month",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "next_payment_at": "2026-02-28T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['SubscriptionUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transactionCanceledWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transaction.canceled",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "canceled",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "type": "payment",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransactionCanceledEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transactionCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transaction.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "type": "payment",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransactionCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transactionFailedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transaction.failed",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "failed",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "type": "payment",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "failure_reason": "The bank rejected the transfer."
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransactionFailedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transactionSucceededWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transaction.succeeded",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "succeeded",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "type": "payment",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransactionSucceededEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transactionUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transaction.updated",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "txn_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "type": "payment",
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransactionUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferCanceledWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.canceled",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "canceled",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferCanceledEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferCapturedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.captured",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "succeeded",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferCapturedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.created",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "pending",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferExpiredWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.expired",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "expired",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferExpiredEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferReversedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.reversed",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "succeeded",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "reversed_amount": 250
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferReversedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  transferSucceededWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "transfer.succeeded",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "trf_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "succeeded",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "direction": "in",
         *           "from_account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "from_account_name": "Ada Lovelace",
         *           "to": [
         *             {
         *               "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *               "account_name": "Harbour Cycles Ltd",
         *               "amount": 1250,
         *               "reference": "invoice-2041"
         *             }
         *           ],
         *           "reference": "invoice-2041",
         *           "metadata": {
         *             "order": "2041"
         *           },
         *           "expires_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['TransferSucceededEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  unappliedPaymentCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "unapplied_payment.created",
         *       "account_id": null,
         *       "object_id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "received",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "payment_request_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "reason": "canceled",
         *           "processor_reference": "pi_3Q1a2b3c4d5e6f",
         *           "failure_reason": null,
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "returned_at": null
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UnappliedPaymentCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  unappliedPaymentNeedsAttentionWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "unapplied_payment.needs_attention",
         *       "account_id": null,
         *       "object_id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "needs_attention",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "payment_request_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "reason": "canceled",
         *           "processor_reference": "pi_3Q1a2b3c4d5e6f",
         *           "failure_reason": "charge_already_refunded",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "returned_at": null
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UnappliedPaymentNeedsAttentionEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  unappliedPaymentReturnedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "unapplied_payment.returned",
         *       "account_id": null,
         *       "object_id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "returned",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "payment_request_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "reason": "canceled",
         *           "processor_reference": "pi_3Q1a2b3c4d5e6f",
         *           "failure_reason": null,
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "returned_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UnappliedPaymentReturnedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  unappliedPaymentUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "unapplied_payment.updated",
         *       "account_id": null,
         *       "object_id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "unp_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "amount": 1250,
         *           "currency": "USD",
         *           "status": "received",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "payment_request_id": "pay_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "reason": "canceled",
         *           "processor_reference": "pi_3Q1a2b3c4d5e6f",
         *           "failure_reason": null,
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "returned_at": null
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UnappliedPaymentUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  userCreatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "user.created",
         *       "account_id": null,
         *       "object_id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "ada@example.com",
         *           "name": "Ada Lovelace",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UserCreatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  userDeletedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "user.deleted",
         *       "account_id": null,
         *       "object_id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "ada@example.com",
         *           "name": "Ada Lovelace",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UserDeletedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  userUpdatedWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "user.updated",
         *       "account_id": null,
         *       "object_id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 2,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "usr_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "email": "ada@example.com",
         *           "name": "Ada Lovelace",
         *           "status": "active",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UserUpdatedEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  webhookEndpointPingWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The id of the event. A repeat has the same one. */
        'webhook-id': string;
        /** @description The signatures of the request, separated by spaces, as Standard Webhooks specifies. */
        'webhook-signature': string;
        /** @description When the request was sent, in seconds since 1970. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "type": "webhook_endpoint.ping",
         *       "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "object_id": "whk_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *       "sequence": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "data": {
         *         "object": {
         *           "id": "whk_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "account_id": "acc_01k9x8v2t4e6rb3m5n7p9q1s0w",
         *           "api_key_id": null,
         *           "url": "https://example.com/webhooks",
         *           "event_types": [
         *             "transaction.succeeded"
         *           ],
         *           "version": "2026-11-26",
         *           "status": "enabled",
         *           "disabled_reason": null,
         *           "failing_since": null,
         *           "secret_expires_at": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['WebhookEndpointPingEvent'];
      };
    };
    responses: {
      /** @description The event is received. Any other response is repeated later. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The endpoint no longer exists, and is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
