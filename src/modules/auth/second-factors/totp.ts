import { Secret, TOTP } from 'otpauth';

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
