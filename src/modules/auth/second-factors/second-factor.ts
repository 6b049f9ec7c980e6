import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { HOUR_MS, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { FieldsOf } from '../../../kernel/entity';

const CODES = 10;
const CODE_BYTES = 15;

/** Returns new recovery codes, such as `XK4D2A-Q7PLM3-5RTB6N-WZ2YHC`: 120 random bits in base32. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    new Secret({ size: CODE_BYTES }).base32.match(/.{6}/g)!.join('-'),
  );
}

/** Hyphens, spaces and case do not matter. A fast hash is sufficient, because a code has 120 random bits. */
function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest('base64url');
}

/** Wrong codes that are allowed within the window. A guess matches one of the 3 valid codes among a million. */
const MAX_WRONG_CODES = 5;
const WINDOW_MS = HOUR_MS;

/**
 * The authenticator app and the recovery codes of a user or an account, which may be different people with one email.
 * It is off until the enrolment is confirmed. A login locks the row, so that a code works once on all replicas, and the
 * limit of wrong codes is exact.
 */
export class SecondFactor {
  /** The id of the user or the account. */
  readonly subjectId: string;
  /** The encrypted TOTP secret, or null while the factor is off. */
  secret: string | null;
  /** The encrypted TOTP secret of an enrolment that is not confirmed, or null. */
  pendingSecret: string | null;
  confirmedAt: Date | null;
  /** The time step of the last accepted code. Codes of this step and of earlier ones are rejected. */
  lastStep: number | null;
  /** The hashes of the recovery codes that are not used. */
  recoveryCodes: string[];
  wrongCodes: number;
  /** The first wrong code of the current window. */
  wrongCodesSince: Date | null;

  private constructor(fields: FieldsOf<SecondFactor, 'isOn'>) {
    Object.assign(this, fields);
  }

  static create(subjectId: string): SecondFactor {
    return new SecondFactor({
      subjectId,
      secret: null,
      pendingSecret: null,
      confirmedAt: null,
      lastStep: null,
      recoveryCodes: [],
      wrongCodes: 0,
      wrongCodesSince: null,
    });
  }

  get isOn(): boolean {
    return this.secret !== null;
  }

  /** Begins an enrolment. A factor that is on stays in effect until `confirm`. */
  begin(pendingSecret: string): void {
    this.pendingSecret = pendingSecret;
  }

  /** Puts the enrolled secret into effect. @param step the time step of the code that confirmed it */
  confirm(step: number, recoveryCodes: readonly string[], now: Date): void {
    this.secret = this.pendingSecret;
    this.pendingSecret = null;
    this.confirmedAt = now;
    this.lastStep = step;
    this.resetWrongCodes();
    this.setRecoveryCodes(recoveryCodes);
  }

  setRecoveryCodes(codes: readonly string[]): void {
    this.recoveryCodes = codes.map(hashRecoveryCode);
  }

  /** Replaces each encrypted secret, for example by the same one under another key. */
  mapSecrets(replace: (encrypted: string) => string): void {
    if (this.secret !== null) this.secret = replace(this.secret);
    if (this.pendingSecret !== null) this.pendingSecret = replace(this.pendingSecret);
  }

  /** Uses the code of a time step. @returns false when that code or a later one was used before */
  useStep(step: number): boolean {
    if (this.lastStep !== null && step <= this.lastStep) return false;
    this.lastStep = step;
    this.resetWrongCodes();
    return true;
  }

  /** Uses a recovery code, which works once. @returns whether it is one of the unused codes */
  useRecoveryCode(code: string): boolean {
    const hash = hashRecoveryCode(code);
    const unused = this.recoveryCodes.filter((stored) => stored !== hash);
    const found = unused.length < this.recoveryCodes.length;
    this.recoveryCodes = unused;
    if (found) this.resetWrongCodes();
    return found;
  }

  /** @throws DomainError `rate_limited` after too many wrong codes */
  assertGuessAllowed(now: Date): void {
    const waitMs = this.windowEnd - now.getTime();
    if (this.wrongCodes < MAX_WRONG_CODES || waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / SECOND_MS);
    throw new DomainError(
      'rate_limited',
      `Too many wrong codes. Retry in ${seconds} seconds, or send a recovery code.`,
      seconds,
    );
  }

  countWrongCode(now: Date): void {
    const inWindow = now.getTime() < this.windowEnd;
    this.wrongCodes = inWindow ? this.wrongCodes + 1 : 1;
    if (!inWindow) this.wrongCodesSince = now;
  }

  private resetWrongCodes(): void {
    this.wrongCodes = 0;
    this.wrongCodesSince = null;
  }

  private get windowEnd(): number {
    return this.wrongCodesSince === null ? 0 : this.wrongCodesSince.getTime() + WINDOW_MS;
  }
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

/** What every authenticator app supports (RFC 6238). */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 };
const ISSUER = 'Countinghouse';
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Codes of the step before and after the current one are accepted, because clocks differ. */
const DRIFT_STEPS = 1;

/** Returns a new secret in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns the `otpauth://` URI that an authenticator app reads from a QR code. @param label the email */
export function totpUri(secret: string, label: string): string {
  return new TOTP({ ...PARAMETERS, issuer: ISSUER, label, secret }).toString();
}

/** Returns the time step that the code belongs to, or null when it is not valid at this time. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const key = Secret.fromBase32(secret);
  const delta = TOTP.validate({ ...PARAMETERS, token: code, secret: key, timestamp, window: DRIFT_STEPS });
  return delta === null ? null : TOTP.counter({ ...PARAMETERS, timestamp }) + delta;
}
