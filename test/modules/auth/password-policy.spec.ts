import { dictionary } from '@zxcvbn-ts/language-common';
import { DomainError } from '../../../src/kernel/domain-error';
import { assertPassword } from '../../../src/modules/auth/domain/passwords';
import { rounds } from '../../support/rounds';
import { Seeded } from './seeded';

const EMAIL = 'ada@example.com';
const NAME = 'Ada Lovelace';

function isRejected(password: string, email = EMAIL, name = NAME): boolean {
  try {
    assertPassword(password, email, name);
    return false;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_request') return true;
    throw error;
  }
}

describe('assertPassword (interface 2.6)', () => {
  it.each([
    ['7 characters', 'qzxwvkp', true],
    ['8 characters', 'qzxwvkpj', false],
    ['7 characters in 14 UTF-16 code units', '🦊🐻🐼🐨🐯🦁🐮', true],
    ['8 characters in 16 UTF-16 code units', '🦊🐻🐼🐨🐯🦁🐮🐷', false],
    ['64 characters', 'k'.repeat(64), false],
    ['72 bytes', 'k'.repeat(72), false],
    ['73 bytes', 'k'.repeat(73), true],
    ['36 characters in 72 bytes', 'é'.repeat(36), false],
    ['37 characters in 74 bytes', 'é'.repeat(37), true],
    ['18 characters in 72 bytes', '🦊'.repeat(18), false],
    ['19 characters in 76 bytes', '🦊'.repeat(19), true],
    ['a common password', 'password1', true],
    ['a common password in upper case', 'PASSWORD1', true],
    ['one character, repeated', 'aaaaaaaa', true],
    ['only spaces', '        ', true],
    ['a NUL', 'correct\0horse', true],
    ['three digits, repeated', '123123123', true],
    ['the alphabet', 'ABCDEFGH', true],
    ['digits in descending order', '0987654321', true],
    ['a repetition of 13 characters', 'a'.repeat(13), false],
    ['no upper-case letter, digit or symbol', 'correct horse battery', false],
    ['only spaces and letters', 'a b c d e', false],
    ['the email', EMAIL, true],
    ['the email in upper case', 'ADA@EXAMPLE.COM', true],
    ['the email and one more character', `${EMAIL}!`, true],
    ['the name', 'Ada Lovelace', true],
    ['a part of the name with digits and punctuation', 'Lovelace-1815!', true],
    ['parts of the name in another order', 'lovelaceAda1', true],
    ['a part of the email, repeated', 'adaadaada', true],
    ['the domain of the email', 'example.com1', true],
    ['the name of the service', 'C0untinghouse! countinghouse', false],
    ['the name of the service with digits', 'Countinghouse2026', true],
    ['the name with other letters', 'Ada Lovelace counts', false],
    ['a phrase that contains a part of the email', 'for example a horse', false],
    ['digits only', '48151623426', false],
  ])('%s', (_, password, expected) => {
    expect(isRejected(password)).toBe(expected);
  });

  it.each([
    ['digits after a name', 'grace1906@example.com', 'grace-1906', true],
    ['a telephone number', '4915112345678@example.com', '4915112345678', true],
    ['initials', 'ab@example.com', 'ab12345678', false],
    ['another alphabet', 'ada@example.com', 'соня1850!', true, 'Соня Ковалевская'],
    ['full-width letters', 'ada@example.com', 'ｌｏｖｅｌａｃｅ１', true],
  ])('compares parts of the email and the name: %s', (_, email, password, expected, name = NAME) => {
    expect(isRejected(password, email, name)).toBe(expected);
  });

  it('rejects the email in another Unicode form and case', () => {
    expect(isRejected('É@example.com'.normalize('NFD'), 'é@example.com')).toBe(true);
  });

  it('rejects the 10,000 most common passwords of 8 characters or more in any capitalization', () => {
    const seeded = new Seeded('common passwords');
    const common = dictionary['passwords-common'].filter(({ length }) => length >= 8).slice(0, 10_000);
    const anyCase = (password: string) =>
      [...password].map((letter) => seeded.pick([letter, letter.toUpperCase()])).join('');
    expect(common).toHaveLength(10_000);
    expect(common.filter((password) => !isRejected(password) || !isRejected(anyCase(password)))).toEqual([]);
  });

  it('accepts up to 72 bytes, the length that bcrypt compares', () => {
    const seeded = new Seeded('long passwords');
    for (let round = 0; round < rounds(500); round += 1) {
      const letter = seeded.pick(['k', 'é', '한', '🦊']);
      const shared = letter.repeat(72 / Buffer.byteLength(letter));
      expect(isRejected(shared)).toBe(false);
      expect(isRejected(shared + seeded.pick(['a', 'é', '🦊']).repeat(1 + seeded.below(50)))).toBe(true);
    }
  });

  it('reports what is wrong without the password', () => {
    for (const password of ['short1!', 'x'.repeat(73), 'password1', EMAIL]) {
      expect(() => assertPassword(password, EMAIL)).toThrow(/^password /);
      expect(() => assertPassword(password, EMAIL)).not.toThrow(password);
    }
  });
});
