import { Injectable } from '@nestjs/common';
import { Precondition } from '../../../kernel/domain-error';
import {
  AuditedMembers,
  AuditEvent,
  AuditTrail,
  changesBetween,
  statusEvents,
} from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import {
  assertAdmin,
  Credentials,
  insufficientPermission,
  isAdmin,
  isOperator,
  NewEmailLimit,
  owns,
  Principal,
  RecentLogin,
} from '../../auth';
import { AccountChange, LockedAccount } from '../domain/account';
import { AccountStore } from './account-store.service';

/** Changes the name, the email, the settings and the status of accounts. */
@Injectable()
export class UpdateAccount {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
    private readonly credentials: Credentials,
    private readonly recentLogin: RecentLogin,
    private readonly newEmails: NewEmailLimit,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws DomainError `unauthorized` for callers other than the owner; `forbidden` while the account is suspended;
   * `invalid_request`, `email_exists`, `precondition_failed`; `rate_limited` for too many new emails from the network
   */
  own(caller: Principal, change: AccountChange, precondition: Precondition): Promise<LockedAccount> {
    const { accountId } = caller;
    if (accountId === null || !owns(caller, accountId)) {
      throw insufficientPermission(
        'only the owner may update its account. Admins use /v1/accounts/{account_id}.',
      );
    }
    return this.update(caller, accountId, change, precondition, null);
  }

  /**
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` for an email or a status without a
   * recent login; `not_found`, `conflict`, `invalid_request`, `email_exists`, `precondition_failed`
   */
  async byId(
    caller: Principal,
    id: string,
    change: AccountChange,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<LockedAccount> {
    assertAdmin(caller, 'Only an admin can update an account by its id.');
    return this.update(caller, id, change, precondition, reason);
  }

  /**
   * The status that the account has already, which another admin may just have set, changes nothing; but the reason that
   * the caller gives for it is recorded.
   */
  private async update(
    caller: Principal,
    id: string,
    requested: AccountChange,
    precondition: Precondition,
    reason: string | null,
  ): Promise<LockedAccount> {
    if (requested.email !== undefined || requested.status !== undefined) this.recentLogin.assert(caller);
    if (requested.email !== undefined) await this.newEmails.use(caller, caller.device);
    return this.database.transaction((tx, now) =>
      this.accounts.update(tx, id, async (account) => {
        precondition(account);
        const before = account.audited();
        await this.apply(tx, caller, account, requested, now);
        for (const event of describeChange(caller, account, before, requested, reason))
          this.audit.record(tx, caller, event);
        return account;
      }),
    );
  }

  private async apply(
    tx: Tx,
    caller: Principal,
    account: LockedAccount,
    requested: AccountChange,
    now: Date,
  ): Promise<void> {
    const { id } = account;
    const change = requested.status === account.status ? { ...requested, status: undefined } : requested;
    if (Object.values(change).every((value) => value === undefined)) return;
    if (!isAdmin(caller)) account.assertNotSuspended();
    account.change(change, now);
    if (change.email !== undefined) {
      const by = isAdmin(caller) ? 'admin' : 'self';
      await this.credentials.changeEmail(tx, id, change.email, by, now);
    }
    if (change.status === 'suspended') this.credentials.endSessionsOfAccount(tx, id, now);
  }
}

/**
 * Describes an update for the audit log. Of what owners change, only the email is recorded: they change name and settings
 * as often as they like.
 */
function describeChange(
  caller: Principal,
  account: LockedAccount,
  before: AuditedMembers,
  { status, ...others }: AccountChange,
  reason: string | null,
): AuditEvent[] {
  const { id } = account;
  const event = { objectId: id, accountId: id, reason };
  const changed = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const changes = changesBetween(before, account.audited(), changed);
  const isRecorded = isOperator(caller) ? changed.length > 0 : changed.includes('email');
  return [
    ...(isRecorded ? [{ ...event, action: 'account.update', details: { changed }, changes }] : []),
    ...statusEvents('account', before, status, reason).map((ofStatus) => ({ ...event, ...ofStatus })),
  ];
}
