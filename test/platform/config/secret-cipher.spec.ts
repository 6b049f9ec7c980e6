import { SecretCipher } from '../../../src/platform/config/secret-cipher';

const OLD = 'the old secret, 32 characters or more';
const NEW = 'the new secret, 32 characters or more';

const cipherOf = (...secrets: string[]) => new SecretCipher(secrets, 'test');

describe('SecretCipher', () => {
  it('encrypts the same text differently each time, and shows nothing of it', () => {
    const cipher = cipherOf(OLD);
    const [one, other] = [cipher.encrypt('JBSWY3DP', 'usr_1'), cipher.encrypt('JBSWY3DP', 'usr_1')];
    expect(one).not.toBe(other);
    expect(one).not.toContain('JBSWY3DP');
    expect([cipher.decrypt(one, 'usr_1'), cipher.decrypt(other, 'usr_1')]).toEqual(['JBSWY3DP', 'JBSWY3DP']);
  });

  it('decrypts with the keys of all secrets and encrypts with that of the first', () => {
    const old = cipherOf(OLD).encrypt('JBSWY3DP', 'usr_1');
    const both = cipherOf(NEW, OLD);
    expect(both.decrypt(old, 'usr_1')).toBe('JBSWY3DP');
    expect(old.split('.')[0]).toBe(both.previousKeyIds[0]);
    const renewed = both.reencrypt(old, 'usr_1');
    expect(cipherOf(NEW).decrypt(renewed, 'usr_1')).toBe('JBSWY3DP');
    expect(cipherOf(OLD).decrypt(renewed, 'usr_1')).toBeNull();
  });

  it('leaves a text unchanged whose key is gone', () => {
    const old = cipherOf(OLD).encrypt('JBSWY3DP', 'usr_1');
    expect(cipherOf(NEW).reencrypt(old, 'usr_1')).toBe(old);
  });

  it('derives other keys for another purpose', () => {
    const text = cipherOf(OLD).encrypt('JBSWY3DP', 'usr_1');
    expect(new SecretCipher([OLD], 'another test').decrypt(text, 'usr_1')).toBeNull();
  });

  it('rejects a text of another owner and a changed one', () => {
    const cipher = cipherOf(OLD);
    const text = cipher.encrypt('JBSWY3DP', 'usr_1');
    const [id, data] = text.split('.') as [string, string];
    const bytes = Buffer.from(data, 'base64url');
    bytes[15]! ^= 1;
    expect(() => cipher.decrypt(text, 'usr_2')).toThrow();
    expect(() => cipher.decrypt(`${id}.${bytes.toString('base64url')}`, 'usr_1')).toThrow();
  });
});
