import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/database';
import { type Credential, type CredentialsRepository, type SubjectKind, subjectKinds } from './credential';

/** The `user` of a login response (the reduced user object of interface 2.1). */
export interface SubjectSummary {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  /** BCP 47, if the subject has chosen a language. */
  readonly language?: string;
}

/** A user or an account that may log in. */
export interface LoginSubject extends SubjectSummary {
  readonly kind: SubjectKind;
  readonly isEmailVerified: boolean;
  readonly isInvited: boolean;
}

/** Who changes their own email: a user or an account. */
export type SignInSubject = Pick<Credential, 'subjectId' | 'accountId'>;

interface SubjectSource {
  readonly name: SubjectKind;
  /** @returns null when the subject does not exist */
  describe(id: string): Promise<SubjectSummary | null>;
  /** Locks the account of the subject until `tx` ends. @throws DomainError `forbidden` while it is suspended */
  assertNotSuspended(tx: Tx, subject: SignInSubject): Promise<void>;
  /**
   * Changes the email that the module stores. It locks the subject, so it is called before the credential is locked.
   * @returns the email before the change
   */
  changeEmail(tx: Tx, subject: SignInSubject, email: string, now: Date): Promise<string>;
  /** Locks the subject until `tx` ends. Its credential is locked after it. */
  lock(tx: Tx, id: string): Promise<unknown>;
  /**
   * Removes the access to the locked subject, and the access of the subject to an account, that a stranger may have set up.
   * @returns false when there was too much for one database transaction: call it again in another one
   */
  revokeAccess(tx: Tx, actor: Actor, id: string, now: Date): Promise<boolean>;
}

/** The extension point through which the users and accounts modules describe who logged in, and change emails. */
export class SignInSubjects extends ExtensionPoint<SubjectSource> {
  constructor() {
    super(subjectKinds);
  }
}

/** The users and accounts that may log in, as emails to them need them. */
export class LoginSubjects {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly subjects: SignInSubjects,
  ) {}

  /** Describes the user and the account that have the email and may log in, the account first. */
  async describeByEmail(key: string): Promise<LoginSubject[]> {
    const found = await this.repository.findByEmail(key);
    const ordered = found.toSorted((one, other) => one.kind.localeCompare(other.kind));
    const subjects = await Promise.all(ordered.map((credential) => this.describeAllowed(credential)));
    return subjects.filter((subject) => subject !== null);
  }

  /** Describes the user or the account; null if it may not log in. */
  async describe(subjectId: string): Promise<LoginSubject | null> {
    const [credential] = await this.repository.findBySubjects([subjectId]);
    return credential ? this.describeAllowed(credential) : null;
  }

  private async describeAllowed(credential: Credential): Promise<LoginSubject | null> {
    const { disabled, kind, subjectId, isEmailVerified, isInvited } = credential;
    const subject = disabled ? null : await this.subjects.get(kind).describe(subjectId);
    if (subject === null) return null;
    const { id, email, name, language } = subject;
    return { kind, id, email, name, language, isEmailVerified, isInvited };
  }
}
