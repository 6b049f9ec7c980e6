import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Actor, AuditTrail } from '../../../platform/audit/audit-trail';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Database, Tx } from '../../../platform/database/database';
import { Credential } from '../domain/credential';
import { newTotpSecret, SecondFactor, totpStep } from './second-factor';
import { SecondFactorsRepository } from './second-factors.repository';

const REENCRYPT_BATCH = 100;

/** The credentials that a login opens a session for. */
export interface Admission {
  readonly credentials: readonly Credential[];
  /** Whether the subject of the session has a second factor. */
  readonly secondFactor: boolean;
}

/** Why a code is rejected. A used code was valid; unlike a wrong code it is no guess, and is not counted as one. */
export type RejectedCode = 'wrong_code' | 'used_code';

/** Checks codes of authenticator apps and recovery codes, and keeps the secrets of the apps encrypted. */
@Injectable()
export class SecondFactorCodes {
  constructor(
    private readonly database: Database,
    private readonly repository: SecondFactorsRepository,
    private readonly cipher: SecretCipher,
    private readonly audit: AuditTrail,
  ) {}

  /** Locks the factors of the subjects, in the order of their ids. */
  lock(tx: Tx, subjectIds: readonly string[]): Promise<SecondFactor[]> {
    return this.repository.lock(tx, subjectIds);
  }

  /**
   * Checks the second factors of the credentials that a password matched. A user and an account with the same email and
   * password may both have one: the session is then opened only for the one whose code it is.
   *
   * The caller commits in any case, so that a wrong code is counted.
   * @param locked the factors of at least these credentials, which `tx` has locked
   * @throws DomainError `rate_limited` after too many wrong codes
   */
  admit(
    tx: Tx,
    actor: Actor,
    credentials: readonly Credential[],
    locked: readonly SecondFactor[],
    code: string | undefined,
    now: Date,
  ): Admission | 'otp_required' | RejectedCode {
    const ids = credentials.map(({ subjectId }) => subjectId);
    const factors = locked.filter(({ subjectId, isOn }) => isOn && ids.includes(subjectId));
    if (factors.length === 0) return { credentials, secondFactor: false };
    if (code === undefined) return 'otp_required';
    const accepted = this.use(tx, actor, factors, code, now);
    if (typeof accepted === 'string') return accepted;
    const has = (among: readonly SecondFactor[], id: string): boolean =>
      among.some(({ subjectId }) => subjectId === id);
    const admitted = credentials.filter(
      ({ subjectId }) => !has(factors, subjectId) || has(accepted, subjectId),
    );
    const subject = admitted.find(({ kind }) => kind === 'user') ?? admitted[0]!;
    return { credentials: admitted, secondFactor: has(accepted, subject.subjectId) };
  }

  /**
   * Uses a code of one subject's second factor. The caller commits in any case, so that a wrong code is counted.
   * @throws DomainError `rate_limited` after too many wrong codes
   */
  async confirm(
    tx: Tx,
    actor: Actor,
    subjectId: string,
    code: string,
    now: Date,
  ): Promise<'confirmed' | RejectedCode | 'no_factor'> {
    const [factor] = await this.repository.lock(tx, [subjectId]);
    if (!factor?.isOn) return 'no_factor';
    const accepted = this.use(tx, actor, [factor], code, now);
    return typeof accepted === 'string' ? accepted : 'confirmed';
  }

  /** Returns a new secret for an authenticator app in base32, and what is stored of it. */
  newSecret(subjectId: string): { secret: string; encrypted: string } {
    const secret = newTotpSecret();
    return { secret, encrypted: this.cipher.encrypt(secret, subjectId) };
  }

  /** Encrypts a batch of secrets with the current key, after a rotation. @returns whether there may be more */
  async reencrypt(): Promise<boolean> {
    const { previousKeyIds } = this.cipher;
    if (previousKeyIds.length === 0) return false;
    const ids = await this.repository.findEncryptedWith(previousKeyIds, REENCRYPT_BATCH);
    await this.database.transaction(async (tx) => {
      for (const factor of await this.repository.lock(tx, ids)) {
        factor.mapSecrets((secret) => this.cipher.reencrypt(secret, factor.subjectId));
        this.repository.save(tx, factor);
      }
    });
    return ids.length === REENCRYPT_BATCH;
  }

  /**
   * Uses the code, which then works no more. A wrong code of an app is counted for all factors, and the caller must
   * commit in that case too. A used code is not counted, because an owner sends it again by mistake, for example when a
   * form is submitted twice.
   * @returns the factors that accept it, or why none does
   * @throws DomainError `rate_limited` for the code of an app after too many wrong codes
   */
  use(
    tx: Tx,
    actor: Actor,
    factors: readonly SecondFactor[],
    code: string,
    now: Date,
  ): SecondFactor[] | RejectedCode {
    const totp = parseTotp(code);
    const result =
      totp === null ? this.useRecoveryCode(tx, actor, factors, code) : this.useTotp(factors, totp, now);
    factors.forEach((factor) => this.repository.save(tx, factor));
    return result;
  }

  /** Returns the time step of a code, or null when it is not a code of the secret at this time. */
  findStep({ subjectId }: SecondFactor, encrypted: string, code: string, now: Date): number | null {
    const secret = this.cipher.decrypt(encrypted, subjectId);
    if (secret === null) {
      throw new DomainError(
        'unavailable',
        'The key of this second factor is gone. Send a recovery code, or ask an admin to reset the second factor.',
      );
    }
    return totpStep(secret, parseTotp(code) ?? '', now);
  }

  private useTotp(factors: readonly SecondFactor[], code: string, now: Date): SecondFactor[] | RejectedCode {
    factors.forEach((factor) => factor.assertGuessAllowed(now));
    const matches = factors.flatMap((factor) => {
      const step = this.findStep(factor, factor.secret!, code, now);
      return step === null ? [] : [{ factor, step }];
    });
    if (matches.length === 0) {
      factors.forEach((factor) => factor.countWrongCode(now));
      return 'wrong_code';
    }
    const accepted = matches.filter(({ factor, step }) => factor.useStep(step));
    return accepted.length === 0 ? 'used_code' : accepted.map(({ factor }) => factor);
  }

  /** A wrong recovery code is not counted: it cannot be guessed, and used ones are not kept to tell them apart. */
  private useRecoveryCode(
    tx: Tx,
    actor: Actor,
    factors: readonly SecondFactor[],
    code: string,
  ): SecondFactor[] | RejectedCode {
    const accepted = factors.filter((factor) => factor.useRecoveryCode(code));
    for (const { subjectId: objectId } of accepted)
      this.audit.record(tx, actor, { action: 'second_factor.use_recovery_code', objectId });
    return accepted.length === 0 ? 'wrong_code' : accepted;
  }
}

/** The six digits of an app's code, which apps show with a space; null for a recovery code. */
function parseTotp(code: string): string | null {
  const digits = code.replaceAll(' ', '');
  return /^\d{6}$/.test(digits) ? digits : null;
}
