import { dictionary } from '@zxcvbn-ts/language-common';
import { DomainError } from '../../../kernel/domain-error';
import { countCharacters, emailKey } from '../../../kernel/text';

const MIN_CHARACTERS = 8;

/** bcrypt ignores all bytes beyond this length, so longer passwords are rejected instead of truncated. */
export const MAX_PASSWORD_BYTES = 72;

/** The dictionary is in lower case and ordered by frequency in leaked passwords; most of its entries are shorter. */
const mostCommon = new Set(
  dictionary['passwords-common']
    .filter((password) => countCharacters(password) >= MIN_CHARACTERS)
    .slice(0, 10_000),
);

/** The dictionary has none of these, although they are among the most common passwords. Longer ones are not. */
const MAX_PATTERN_CHARACTERS = 12;
const MIN_DIFFERENT_CHARACTERS = 4;
const SEQUENCES = ['abcdefghijklmnopqrstuvwxyz', '01234567890'].flatMap((sequence) => [
  sequence,
  [...sequence].toReversed().join(''),
]);

const SERVICE_NAME = 'Countinghouse';

/** Shorter parts of an email or a name, such as initials, do not make a password easy to guess. */
const MIN_WORD_CHARACTERS = 3;

/** What `assertPassword` demands, for clients. */
export const passwordRule =
  `At least ${MIN_CHARACTERS} characters and at most ${MAX_PASSWORD_BYTES} bytes of UTF-8, not a common password, and ` +
  "not only words of the email, of the name or of the service's name, with or without digits and punctuation.";

/**
 * Rejects passwords that are easy to guess. There are no composition rules, because they lead to weaker passwords.
 * @param email of the user or account, whose parts a password must not consist of
 * @param name of the user or account, whose parts it must not consist of either
 * @throws DomainError `invalid_request`
 */
export function assertPassword(password: string, email: string, name: string | null = null): void {
  const fault = passwordFault(password, email, name ?? '');
  if (fault !== null) throw new DomainError('invalid_request', `password ${fault}.`);
}

function passwordFault(password: string, email: string, name: string): string | null {
  if (countCharacters(password) < MIN_CHARACTERS) return `must have at least ${MIN_CHARACTERS} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `must have at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`;
  // bcrypt ends a password with it and starts over: ab, NUL, ab, NUL and ab have the hash of ab. Forms can contain it.
  if (password.includes('\0')) return 'must not contain a NUL';
  if (mostCommon.has(password.toLowerCase())) return 'is one of the most common passwords; choose another';
  if (isPattern(password.toLowerCase())) return 'repeats few characters, or is a sequence; choose another';
  if (emailKey(password) === emailKey(email)) return 'must not be the email';
  if (consistsOf(splitWords(`${email} ${name} ${SERVICE_NAME}`), password))
    return 'must not consist of the email, the name or the name of the service; choose another';
  return null;
}

/** Whether the password repeats few characters, or is a part of the alphabet or of the digits in order. */
function isPattern(password: string): boolean {
  const characters = [...password];
  if (characters.length > MAX_PATTERN_CHARACTERS) return false;
  return (
    new Set(characters).size < MIN_DIFFERENT_CHARACTERS ||
    SEQUENCES.some((sequence) => sequence.includes(password))
  );
}

/** The words of a text, and their letters alone: `ada1815` is also `ada`. Longer words come first. */
function splitWords(text: string): string[] {
  const words = [/[^\p{L}\p{N}]+/u, /\P{L}+/u].flatMap((separator) => comparable(text).split(separator));
  return words
    .filter((word) => countCharacters(word) >= MIN_WORD_CHARACTERS)
    .toSorted((one, other) => other.length - one.length);
}

/** Whether at least one of the words occurs in the password and, besides them, only digits and punctuation. */
function consistsOf(words: readonly string[], password: string): boolean {
  const remainder = words.reduce((rest, word) => rest.replaceAll(word, ' '), comparable(password));
  return remainder !== comparable(password) && !/\p{L}/u.test(remainder);
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Who logs in. */
export interface LoginClient {
  readonly address: string;
  /** The id of the user or the account to whom the client's network is known, or null. */
  readonly owner: string | null;
}

/**
 * Hashes passwords with bcrypt in worker threads, so that a login does not block other requests. Logins from networks
 * that are known to their owner, other logins and all other tasks take turns. In each, the networks of the clients do, and
 * in a network that is known to several owners, they do.
 */
export abstract class PasswordHasher {
  /**
   * @param client the address of the client, or another name for whose turn it is
   * @throws DomainError `unavailable` when too many tasks are queued
   */
  abstract hash(password: string, client: string): Promise<string>;

  /**
   * Returns the candidates that the password matches. A mismatch always takes the same number of comparisons, so that
   * the time does not reveal how many candidates there are. A password that is too long matches none.
   *
   * All comparisons are one task of the queue: an attempt is either rejected without any comparison, or completed and
   * counted.
   * @param candidatesOf is called when it is the attempt's turn, so that a limit that was reached in the meantime saves
   * the comparisons
   * @throws DomainError `unavailable` when too many tasks are queued; the errors of `candidatesOf`
   */
  abstract matching<Candidate extends { readonly passwordHash: string }>(
    password: string,
    client: LoginClient,
    candidatesOf: () => Promise<readonly Candidate[]>,
  ): Promise<Candidate[]>;

  /** Whether the hash was computed with a lower cost than is configured now. */
  abstract isOutdated(hash: string): boolean;
}
