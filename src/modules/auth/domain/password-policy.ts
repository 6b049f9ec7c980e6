import { dictionary } from '@zxcvbn-ts/language-common';
import { Refusal } from '../../../kernel/refusal';
import { emailKey } from './credential';

const MIN_CHARACTERS = 8;

/** bcrypt reads no more than this of a password. What is longer is refused, never cut. */
export const MAX_PASSWORD_BYTES = 72;

/** The list is ordered by how often each was seen in leaks. */
const mostCommon = new Set(dictionary['passwords-common'].slice(0, 3000));

/**
 * Refuses a password that is easily guessed. There are no rules of composition: they make passwords worse.
 * @throws Refusal `invalid_request`
 */
export function assertPassword(password: string, email: string): void {
  const fault = passwordFault(password, email);
  if (fault !== null) throw new Refusal('invalid_request', `password ${fault}.`);
}

function passwordFault(password: string, email: string): string | null {
  if ([...password].length < MIN_CHARACTERS) return `must have at least ${MIN_CHARACTERS} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `must have at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`;
  if (mostCommon.has(password.toLowerCase())) return 'is one of the most common ones; choose another';
  if (emailKey(password) === emailKey(email)) return 'must not be the email';
  return null;
}
