import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { SECOND_MS } from '../../../../kernel/clock';
import { SecretCipher } from '../../../../platform/config/secret-cipher';
import { signingSecrets } from '../domain/endpoint-secrets';
import { WebhookEndpoint } from '../domain/webhook-endpoint';
import { SignedMessage } from '../domain/webhook-sender';

/** What an endpoint receives. */
export interface WebhookMessage {
  /** The id of the event: the same in each attempt, so that the receiver recognizes a repeat. */
  readonly id: string;
  /** The event as JSON. */
  readonly body: string;
}

/** Signs messages as Standard Webhooks specifies, with every secret that is valid. */
@Injectable()
export class WebhookSigner {
  constructor(private readonly cipher: SecretCipher) {}

  /** @returns null when the endpoint has no secret that can be decrypted */
  sign(endpoint: Readonly<WebhookEndpoint>, { id, body }: WebhookMessage, now: Date): SignedMessage | null {
    const secrets = signingSecrets(endpoint.secrets, now).flatMap(
      ({ encrypted }) => this.cipher.decrypt(encrypted, endpoint.id) ?? [],
    );
    if (secrets.length === 0) return null;
    const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body));
    return {
      url: endpoint.url,
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / SECOND_MS)),
        'webhook-signature': signatures.join(' '),
      },
    };
  }
}
