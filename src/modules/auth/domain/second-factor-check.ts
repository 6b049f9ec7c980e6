import { DomainError } from '../../../kernel/domain-error';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx, WriteTx } from '../../../platform/database/database';
import type { Credential } from './credential';

/** The credentials that a login opens a session for. */
export interface Admission {
  readonly credentials: readonly Credential[];
  /** Whether the subject of the session has a second factor. */
  readonly secondFactor: boolean;
}

/** Why a code is rejected. A used code was valid; unlike a wrong code it is no guess, and is not counted as one. */
export type RejectedCode = 'wrong_code' | 'used_code';

/** The result of a check of one subject's code. */
export type SecondFactorConfirmation = 'confirmed' | RejectedCode | 'no_factor';

/** Checks second factors in logins and re-authentications, in their transaction. */
export abstract class SecondFactorCheck {
  /**
   * Checks the second factors of the credentials that a password matched. A user and an account with the same email and
   * password may both have one: the session is then opened only for the one whose code it is.
   *
   * The caller commits in any case, so that a wrong code is counted.
   * @throws DomainError `rate_limited` after too many wrong codes
   */
  abstract admit(
    tx: Tx,
    actor: Actor,
    credentials: readonly Credential[],
    code: string | undefined,
    now: Date,
  ): Promise<Admission | 'otp_required' | RejectedCode>;

  /**
   * Uses a code of one subject's second factor. The caller commits in any case, so that a wrong code is counted.
   * @throws DomainError `rate_limited` after too many wrong codes
   */
  abstract confirm(
    tx: Tx,
    actor: Actor,
    subjectId: string,
    code: string,
    now: Date,
  ): Promise<SecondFactorConfirmation>;

  /** Switches the second factor of a subject off. */
  abstract remove(tx: WriteTx, subjectId: string): void;
}

export function otpRequired(): DomainError {
  return new DomainError(
    'otp_required',
    'Repeat the request with the code of your authenticator app, or a recovery code, as otp.',
  );
}

export function wrongCode(): DomainError {
  return new DomainError('invalid_credentials', 'The code is incorrect or was used before.');
}
