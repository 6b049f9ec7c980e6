import { createHash } from 'node:crypto';
import { Secret } from 'otpauth';

const CODES = 10;
const CODE_BYTES = 15;

/** Returns new recovery codes, such as `XK4D2A-Q7PLM3-5RTB6N-WZ2YHC`: 120 random bits in base32. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    new Secret({ size: CODE_BYTES }).base32.match(/.{6}/g)!.join('-'),
  );
}

/** Hyphens, spaces and case do not matter. A fast hash is sufficient, because a code has 120 random bits. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest('base64url');
}
