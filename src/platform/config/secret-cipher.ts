import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface EncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Encrypts secrets for the database. It encrypts with a key derived from the first of the service's secrets and decrypts
 * with those of all secrets, so that they can be rotated.
 */
export class SecretCipher {
  private readonly keys: readonly EncryptionKey[];

  /** @param purpose separates these keys from the other uses of the same secrets, so it must not change */
  constructor(secrets: readonly string[], purpose: string) {
    this.keys = secrets.map((secret) => {
      const key = Buffer.from(hkdfSync('sha256', secret, '', `countinghouse ${purpose}`, KEY_BYTES));
      return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key };
    });
  }

  /** The ids of the keys that only decrypt. An encrypted text is the id of its key, a dot and the data. */
  get previousKeyIds(): readonly string[] {
    return this.keys.slice(1).map(({ id }) => id);
  }

  /** @param owner the same text must be given to `decrypt`, so that a text cannot be moved to another row */
  encrypt(text: string, owner: string): string {
    const { id, key } = this.keys[0]!;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
    const encrypted = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return `${id}.${encrypted.toString('base64url')}`;
  }

  /**
   * @returns null when the key is gone
   * @throws Error when the text was changed or belongs to another owner
   */
  decrypt(encrypted: string, owner: string): string | null {
    const [id, data = ''] = encrypted.split('.');
    const key = this.keys.find((one) => one.id === id)?.key;
    if (key === undefined) return null;
    const bytes = Buffer.from(data, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  }

  /** Returns the same text under the first key, or the given one when its key is gone. */
  reencrypt(encrypted: string, owner: string): string {
    const text = this.decrypt(encrypted, owner);
    return text === null ? encrypted : this.encrypt(text, owner);
  }
}
