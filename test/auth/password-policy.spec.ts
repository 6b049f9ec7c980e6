import { dictionary } from '@zxcvbn-ts/language-common';
import { Refusal } from '../../src/kernel/refusal';
import { assertPassword } from '../../src/modules/auth/domain/password-policy';
import { rounds, Seeded } from './seeded';

const EMAIL = 'ada@example.com';

function refused(password: string, email = EMAIL): boolean {
  try {
    assertPassword(password, email);
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') return true;
    throw error;
  }
}

describe('the password policy (interface 2.6 leaves it open)', () => {
  it.each([
    ['7 characters', 'qzxwvkp', true],
    ['8 characters', 'qzxwvkpj', false],
    ['7 characters that are 14 UTF-16 units', '🦊🐻🐼🐨🐯🦁🐮', true],
    ['8 characters that are 16 UTF-16 units', '🦊🐻🐼🐨🐯🦁🐮🐷', false],
    ['64 characters', 'k'.repeat(64), false],
    ['72 bytes', 'k'.repeat(72), false],
    ['73 bytes', 'k'.repeat(73), true],
    ['36 characters of 72 bytes', 'é'.repeat(36), false],
    ['37 characters of 74 bytes', 'é'.repeat(37), true],
    ['18 characters of 72 bytes', '🦊'.repeat(18), false],
    ['19 characters of 76 bytes', '🦊'.repeat(19), true],
    ['one of the most common', 'password1', true],
    ['the same in capitals', 'PASSWORD1', true],
    ['no capital, digit or sign: composition is not asked for', 'correct horse battery', false],
    ['only spaces and letters', 'a b c d e', false],
    ['the email', EMAIL, true],
    ['the email in capitals', 'ADA@EXAMPLE.COM', true],
    ['the email with more to it', `${EMAIL}!`, false],
  ])('%s', (_, password, expected) => {
    expect(refused(password)).toBe(expected);
  });

  it('knows the email in another Unicode form and case', () => {
    expect(refused('É@example.com'.normalize('NFD'), 'é@example.com')).toBe(true);
  });

  it('refuses each of the 3,000 most common, however it is capitalised', () => {
    const seeded = new Seeded('password blocklist');
    const common = dictionary['passwords-common'].slice(0, 3000);
    const anyCase = (password: string) =>
      [...password].map((letter) => seeded.pick([letter, letter.toUpperCase()])).join('');
    expect(common).toHaveLength(3000);
    expect(common.filter((password) => !refused(password) || !refused(anyCase(password)))).toEqual([]);
  });

  it('takes long ones that are not on the list, and never two that bcrypt could not tell apart', () => {
    const seeded = new Seeded('long passwords');
    for (let round = 0; round < rounds(500); round += 1) {
      const letter = seeded.pick(['k', 'é', '한', '🦊']);
      const shared = letter.repeat(72 / Buffer.byteLength(letter));
      expect(refused(shared)).toBe(false);
      expect(refused(shared + seeded.pick(['a', 'é', '🦊']).repeat(1 + seeded.below(50)))).toBe(true);
    }
  });

  it('says what to do, and never repeats the password', () => {
    for (const password of ['short1!', 'x'.repeat(73), 'password1', EMAIL]) {
      expect(() => assertPassword(password, EMAIL)).toThrow(/^password /);
      expect(() => assertPassword(password, EMAIL)).not.toThrow(password);
    }
  });
});
