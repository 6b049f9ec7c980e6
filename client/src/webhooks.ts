import type { CountinghouseEvent } from './events.js';

/** The webhook was not sent by the service, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookOptions {
  /** How far the time of the webhook may be from now; 5 minutes by default, as Standard Webhooks recommends. */
  readonly toleranceSeconds?: number;
  /** The current time, for tests. */
  readonly now?: Date;
}

type HeaderSource = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Verifies a webhook by the headers of Standard Webhooks and parses it. The type parameter is for events of extensions.
 * @param payload the raw body, exactly as it was received
 * @param headers those of the request, as `Headers` or with names in lower case, as Node.js has them
 * @param secret the secret of the endpoint, `whsec_...`
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<Event = CountinghouseEvent>(
  payload: string | Uint8Array,
  headers: HeaderSource,
  secret: string,
  { toleranceSeconds = 300, now = new Date() }: WebhookOptions = {},
): Promise<Event> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headers instanceof Headers ? headers.get(name) : String(headers[name] ?? ''),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError(
      'The headers webhook-id, webhook-timestamp or webhook-signature are missing.',
    );
  }
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The webhook is too old, or from the future.');
  }
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const key = await importKey(secret);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : null;
    // WebCrypto compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text) as Event;
  }
  throw new WebhookVerificationError('No signature of the webhook is right.');
}

async function importKey(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null) throw new WebhookVerificationError('The secret is not base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null; // atob throws for what is not base64
  }
}
