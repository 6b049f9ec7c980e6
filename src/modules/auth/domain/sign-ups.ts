import { clientNetwork } from '../../../kernel/client-network';
import { DomainError, rateLimited } from '../../../kernel/domain-error';
import type { Device } from '../../../platform/audit/audit-trail';
import type {
  Database,
  IdempotentOperation,
  IdempotentRequest,
  StoredResponse,
  Tx,
} from '../../../platform/database/database';
import type { SharedLimit } from '../../../platform/database/shared-limit';
import type { Mailer } from '../../../platform/mail/mailer';
import type { SubjectKind } from './credential';
import type { Credentials } from './credentials';
import { assertPassword, type PasswordHasher } from './passwords';
import { isOperator, type Principal } from './principal';
import { newToken } from './secret-tokens';

interface SignUp {
  readonly kind: SubjectKind;
  readonly email: string;
  /** Null for one who is invited, and sets it by a link in an email. */
  readonly password: string | null;
  readonly name: string | null;
}

/** Who signs up, or creates another user or account. */
export interface SignUpClient {
  readonly caller: Principal | null;
  readonly device: Device;
}

/** Limits the sign-ups and changes of emails of one client network: `email_exists` tells which emails are in use. */
export class NewEmailLimit {
  /** @param limit null for none */
  constructor(private readonly limit: Pick<SharedLimit, 'use'> | null) {}

  /** @throws DomainError `rate_limited`, unless the caller is an admin or a platform system */
  async use(caller: Principal | null, device: Device): Promise<void> {
    if (this.limit === null || isOperator(caller)) return;
    const waitSeconds = await this.limit.use(clientNetwork(device.ip));
    if (waitSeconds !== null)
      throw rateLimited('Too many sign-ups and changes of emails from your network.', waitSeconds);
  }
}

/** Creates users and accounts with their passwords, such that sign-ups cannot keep the processors busy with hashes. */
export class SignUps {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly newEmails: NewEmailLimit,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Hashes the password and runs `work`, which creates the user or account with it. Everything that can be rejected
   * without a hash is rejected before.
   * @throws DomainError `invalid_request` for a weak password, and for an invitation when the service sends no email;
   * `email_exists`; `rate_limited` for too many sign-ups from one client network, unless the caller is an admin or a
   * platform system; `unavailable`
   */
  async create<T extends object>(
    { kind, email, password: chosen, name }: SignUp,
    { caller, device }: SignUpClient,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, now: Date, passwordHash: string) => Promise<T>,
  ): Promise<StoredResponse> {
    if (chosen === null) this.mailer.assertConfigured('Send a password instead of an invitation.');
    const password = chosen ?? newToken(); // nobody knows it
    assertPassword(password, email, name);
    await this.newEmails.use(caller, device);
    if ((await this.credentials.findSubject(kind, email)) !== null) return this.replayOrReject(operation);
    const passwordHash = await this.hasher.hash(password, device.ip);
    return this.database.idempotent(operation, (tx, now) => work(tx, now, passwordHash));
  }

  /** The email may be in use because an earlier request with the same idempotency key has created its user or account. */
  private replayOrReject(request: IdempotentRequest): Promise<StoredResponse> {
    return this.database.idempotent({ ...request, render: (never: never) => never }, async () => {
      throw new DomainError('email_exists', 'This email is already in use.');
    });
  }
}
