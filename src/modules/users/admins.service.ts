import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../kernel/domain-error';
import { isId } from '../../kernel/ids';
import { systemActor } from '../../platform/audit/audit-trail';
import { type Finding, type HealthCheck, ok, warning } from '../../platform/config/health-check';
import { Database, Tx } from '../../platform/database/database';
import {
  assertPassword,
  Credentials,
  LoginChanges,
  loginParts,
  PasswordHasher,
  Principal,
  VerifiedEmails,
} from '../auth';
import { Approval, ApprovalKind, approvalsSettings } from '../back-office';
import { User, userNotFound } from './user';
import { countAdmins, UsersRepository } from './users.repository';
import { UserRecords } from './user-records.service';

/** The admin who is there from the start. */
@Injectable()
export class Admins {
  constructor(
    private readonly database: Database,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * Creates an admin unless a user with this email exists.
   * @returns whether it was created
   * @throws DomainError `invalid_request` for a weak password
   */
  async ensure(email: string, password: string): Promise<boolean> {
    if ((await this.credentials.findSubject('user', email)) !== null) return false;
    assertPassword(password, email);
    const passwordHash = await this.hasher.hash(password, email);
    try {
      await this.database.transaction(async (tx, now) => {
        const admin = { email, name: null, status: 'active', role: 'admin', accountId: null } as const;
        this.records.add(tx, systemActor, User.create(admin, now), passwordHash, false);
      });
      return true;
    } catch (error) {
      // Another replica that starts at the same time has created it.
      if (error instanceof DomainError && error.code === 'email_exists') return false;
      throw error;
    }
  }
}

/** Whom an approval makes an admin, as JSON. Approvals of earlier releases lack members. */
interface Candidate {
  readonly email?: string;
  readonly name?: string | null;
  readonly login_changes?: LoginChanges;
}

/** Makes a user an admin once a second admin has approved it. */
@Injectable()
export class AdminPromotions implements ApprovalKind {
  readonly name = 'make_admin';

  constructor(
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
    private readonly verifiedEmails: VerifiedEmails,
  ) {}

  async prepare(tx: Tx, id: string) {
    const { user, loginChanges } = await this.lock(tx, id);
    return {
      accountId: id,
      details: { email: user.email, name: user.name, login_changes: loginChanges } satisfies Candidate,
    };
  }

  async execute(tx: Tx, { objectId, reason, details }: Readonly<Approval>, approver: Principal, now: Date) {
    const { user, loginChanges } = await this.lock(tx, objectId);
    assertUnchanged(details, user.email, loginChanges);
    await this.records.setRole(tx, approver, user, 'admin', now, reason);
    return true;
  }

  /**
   * @throws DomainError `not_found`; `conflict` for an admin, for a user whose password somebody else may know, and for one
   * who may have signed up with the email of somebody else; `invalid_request` for a user who is linked to an account
   */
  private async lock(tx: Tx, id: string): Promise<{ user: User; loginChanges: LoginChanges }> {
    const user = isId('usr', id) ? await this.repository.lock(tx, id) : null;
    if (user === null) throw userNotFound();
    if (user.role === 'admin') throw new DomainError('conflict', 'The user is an admin already.');
    user.assertMayHave('admin');
    const history = await this.credentials.lockHistory(tx, id);
    if (!this.verifiedEmails.isProved(history))
      throw new DomainError(
        'conflict',
        'The user first verifies their email: POST /v1/auth/email/verification sends a link to it.',
      );
    if (history.passwordSetByOther)
      throw new DomainError(
        'conflict',
        'Somebody else has set the password of the user, who first sets another one by the link of POST /v1/auth/password-reset.',
      );
    return { user, loginChanges: history.loginChanges };
  }
}

/**
 * What was approved is the user who signs in as at the time of the request: a password, an email or a second factor that
 * was changed since may be that of somebody else.
 * @throws DomainError `conflict`
 */
function assertUnchanged(
  { email, login_changes: before }: Candidate,
  current: string,
  now: LoginChanges,
): void {
  if (email === current && isDeepStrictEqual(before, now)) return;
  const changes = loginParts
    .filter((part) => !isDeepStrictEqual(before?.[part], now[part]))
    .map((part) => ` ${part} by ${now[part]?.by} at ${now[part]?.at}.`);
  throw new DomainError(
    'conflict',
    `The user does not sign in as when this was asked for.${changes.join('')} Reject it, and ask again.`,
  );
}

/** Checks that a second admin is there to approve what the first one asks for, where approvals are required. */
export const approversCheck: HealthCheck = {
  name: 'approvers',
  async run({ settings, query }): Promise<readonly Finding[]> {
    if (query === null || !settings.of(approvalsSettings).required) return [];
    const admins = await countAdmins(query);
    if (!admins) return []; // before the first start
    if (admins > 1) return [ok(`${admins} admins can approve what another one asks for.`)];
    return [
      warning(
        'There is one active admin, so nobody can approve what that admin asks for.',
        'Create a second one with `countinghouse admin create`, or set REQUIRE_APPROVALS=false.',
      ),
    ];
  },
};
