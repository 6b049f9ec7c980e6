import { Webhook } from 'standardwebhooks';
import { newSecret, signingSecrets } from '../../../../src/modules/events/webhooks/endpoint-secrets';
import { WebhookEndpoint } from '../../../../src/modules/events/webhooks/webhook-endpoint';
import { WebhookSigner } from '../../../../src/modules/events/webhooks/webhook-attempts.service';
import { SecretCipher } from '../../../../src/platform/config/secret-cipher';
import { fakeTimers } from '../../../support/fake-timers';

const HOUR_MS = 3_600_000;
const MESSAGE = { id: 'evt_1', body: '{"type":"transaction.succeeded","amount":1250}' };
const cipherOf = (...secrets: string[]) => new SecretCipher(secrets, 'test');
const cipher = cipherOf('a secret of the service, 32 characters');
const signer = new WebhookSigner(cipher);

/** An endpoint with its first secret. The official package compares timestamps with the system clock. */
function anEndpoint(now = new Date()): { endpoint: WebhookEndpoint; secret: string } {
  const secret = newSecret();
  const terms = {
    accountId: 'acc_1',
    url: 'https://example.com/',
    eventTypes: null,
    apiVersion: '2026-11-20',
    signUpNetwork: null,
  };
  return { endpoint: WebhookEndpoint.create(terms, (id) => cipher.encrypt(secret, id), now), secret };
}

function rotated(endpoint: WebhookEndpoint, now: Date): string {
  const secret = newSecret();
  endpoint.rotateSecret(cipher.encrypt(secret, endpoint.id), now);
  return secret;
}

/** Whether the official package accepts a message. */
function accepts(secret: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

describe('A signed message', () => {
  afterEach(() => jest.useRealTimers());

  it('is accepted by the official package, with 256 random bits as the secret', () => {
    const { endpoint, secret } = anEndpoint();
    const { url, headers, body } = signer.sign(endpoint, MESSAGE, new Date())!;
    expect({ url, body }).toEqual({ url: endpoint.url, body: MESSAGE.body });
    expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(MESSAGE.body));
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('has the time of the system where a test has moved the clock, so that receivers accept it', () => {
    const { endpoint, secret } = anEndpoint();
    const inAMonth = new Date(Date.now() + 31 * 24 * HOUR_MS);
    const { headers, body } = signer.sign(endpoint, MESSAGE, inAMonth)!;
    expect(accepts(secret, body, headers)).toBe(true);
  });

  it('is rejected after any change to it, and with another secret', () => {
    const { endpoint, secret } = anEndpoint();
    const { headers, body } = signer.sign(endpoint, MESSAGE, new Date())!;
    const signature = headers['webhook-signature']!;
    const tampered: [body: string, headers: Readonly<Record<string, string>>][] = [
      ...Array.from(body, (_, index): [string, typeof headers] => [
        body.slice(0, index) + '*' + body.slice(index + 1),
        headers,
      ]),
      ...Array.from(signature.slice(3, -2), (character, index): [string, typeof headers] => {
        const at = index + 3;
        const other = character === 'A' ? 'B' : 'A';
        return [
          body,
          { ...headers, 'webhook-signature': signature.slice(0, at) + other + signature.slice(at + 1) },
        ];
      }),
      [body, { ...headers, 'webhook-id': 'evt_2' }],
      [body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }],
      [body, { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }],
      [body, { ...headers, 'webhook-signature': '' }],
      [body + ' ', headers],
    ];
    expect(tampered.length).toBeGreaterThan(80);
    expect(tampered.filter((changed) => accepts(secret, ...changed))).toEqual([]);
    expect(accepts(newSecret(), body, headers)).toBe(false);
    expect(accepts(secret, body, headers)).toBe(true);
  });

  it.each([
    [-6 * 60, false],
    [-4 * 60, true],
    [4 * 60, true],
    [6 * 60, false],
  ])('of %d seconds from now is accepted: %s', (seconds, accepted) => {
    const { endpoint, secret } = anEndpoint();
    fakeTimers('Date');
    jest.setSystemTime(Date.now() + seconds * 1_000);
    const { headers, body } = signer.sign(endpoint, MESSAGE, new Date())!;
    jest.useRealTimers();
    expect(accepts(secret, body, headers)).toBe(accepted);
  });

  it('is signed with the old and the new secret for 24 hours after a rotation', () => {
    const start = new Date(Date.now() - 24 * HOUR_MS);
    const { endpoint, secret: first } = anEndpoint(start);
    const second = rotated(endpoint, new Date(start.getTime() + 1_000));
    const during = signer.sign(endpoint, MESSAGE, new Date())!;
    expect(accepts(first, during.body, during.headers)).toBe(true);
    expect(accepts(second, during.body, during.headers)).toBe(true);
    expect(accepts(newSecret(), during.body, during.headers)).toBe(false);
    const after = signer.sign(endpoint, MESSAGE, new Date(Date.now() + 2_000))!;
    expect(accepts(first, after.body, after.headers)).toBe(false);
    expect(accepts(second, after.body, after.headers)).toBe(true);
  });

  it('is signed for 24 more hours with a secret that expires, which the next rotation ends', () => {
    const start = new Date(Date.now() - 24 * HOUR_MS);
    const { endpoint, secret } = anEndpoint(start);
    expect(endpoint.secretExpiresAt).toBeNull();
    endpoint.expireSecret(cipher.encrypt(newSecret(), endpoint.id), new Date(start.getTime() + 1_000));
    expect(endpoint.secretExpiresAt).toBe(new Date(start.getTime() + 1_000 + 24 * HOUR_MS).toISOString());
    const during = signer.sign(endpoint, MESSAGE, new Date())!;
    expect(accepts(secret, during.body, during.headers)).toBe(true);
    const after = signer.sign(endpoint, MESSAGE, new Date(Date.now() + 2_000))!;
    expect(accepts(secret, after.body, after.headers)).toBe(false);
    const next = rotated(endpoint, new Date(Date.now() + 2_000));
    expect(endpoint.secretExpiresAt).toBeNull();
    const rotatedSince = signer.sign(endpoint, MESSAGE, new Date(Date.now() + 2_000))!;
    expect(accepts(next, rotatedSince.body, rotatedSince.headers)).toBe(true);
  });

  it('is still accepted by whoever knows the oldest secret when the rotation was repeated', () => {
    const now = new Date();
    const { endpoint, secret } = anEndpoint(now);
    const secrets = [secret, rotated(endpoint, now), rotated(endpoint, now), rotated(endpoint, now)];
    const { headers, body } = signer.sign(endpoint, MESSAGE, now)!;
    expect(secrets.map((one) => accepts(one, body, headers))).toEqual([true, true, true, true]);
    expect(() => rotated(endpoint, now)).toThrow(expect.objectContaining({ code: 'conflict' }));
    rotated(endpoint, new Date(now.getTime() + 24 * HOUR_MS + 1));
    expect(signingSecrets(endpoint.secrets, new Date(now.getTime() + 24 * HOUR_MS + 1))).toHaveLength(2);
  });

  it('is signed also after a rotation of the secrets of the service, and not without the one that encrypted', () => {
    const { endpoint, secret } = anEndpoint();
    const [old, next] = [
      'a secret of the service, 32 characters',
      'the next one of the service, 32 characters',
    ];
    const later = cipherOf(next, old);
    endpoint.mapSecrets((encrypted) => later.reencrypt(encrypted, endpoint.id));
    const { headers, body } = new WebhookSigner(cipherOf(next)).sign(endpoint, MESSAGE, new Date())!;
    expect(accepts(secret, body, headers)).toBe(true);
    expect(new WebhookSigner(cipherOf(old)).sign(endpoint, MESSAGE, new Date())).toBeNull();
  });
});
