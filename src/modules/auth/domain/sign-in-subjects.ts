import { ExtensionPoint } from '../../../kernel/extension-point';
import { Tx } from '../../../platform/database/tx';
import { Credential, SubjectKind, subjectKinds } from './credential';

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
}

/** Whoever changes their own email: a user or an account. */
export type SignInSubject = Pick<Credential, 'subjectId' | 'accountId'>;

interface SubjectSource {
  readonly name: SubjectKind;
  /** @returns null when the subject does not exist */
  describe(id: string): Promise<SubjectSummary | null>;
  /**
   * Changes the email that the module stores. It locks the subject, so it is called before the credential is locked.
   * @throws DomainError `forbidden` while the account of the subject is suspended
   */
  changeEmail(tx: Tx, subject: SignInSubject, email: string, now: Date): Promise<void>;
}

/** The extension point through which the users and accounts modules describe who logged in, and change emails. */
export class SignInSubjects extends ExtensionPoint<SubjectSource> {
  constructor() {
    super('SignInSubjects', subjectKinds);
  }

  describe(kind: SubjectKind, id: string): Promise<SubjectSummary | null> {
    return this.get(kind).describe(id);
  }

  changeEmail(kind: SubjectKind, tx: Tx, subject: SignInSubject, email: string, now: Date): Promise<void> {
    return this.get(kind).changeEmail(tx, subject, email, now);
  }
}
