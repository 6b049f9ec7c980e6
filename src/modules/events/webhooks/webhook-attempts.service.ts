import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Clock, SECOND_MS, SystemClock } from '../../../kernel/clock';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { signingSecrets } from './endpoint-secrets';
import { WebhookEndpoint } from './webhook-endpoint';
import { AttemptResult, DeliveryError, SignedMessage, WebhookSender } from './webhook-sender';

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
  /** The signed time is the system's, with which receivers compare it, also where a test has moved the clock. */
  private readonly system = new SystemClock();

  constructor(private readonly cipher: SecretCipher) {}

  /**
   * @param now decides which secrets are valid
   * @returns null when the endpoint has no secret that can be decrypted
   */
  sign(endpoint: Readonly<WebhookEndpoint>, { id, body }: WebhookMessage, now: Date): SignedMessage | null {
    const secrets = signingSecrets(endpoint.secrets, now).flatMap(
      ({ encrypted }) => this.cipher.decrypt(encrypted, endpoint.id) ?? [],
    );
    if (secrets.length === 0) return null;
    const sentAt = this.system.now();
    const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body));
    return {
      url: endpoint.url,
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / SECOND_MS)),
        'webhook-signature': signatures.join(' '),
      },
    };
  }
}

/** Sends signed messages to endpoints. */
@Injectable()
export class WebhookAttempts {
  constructor(
    private readonly sender: WebhookSender,
    private readonly signer: WebhookSigner,
    private readonly clock: Clock,
  ) {}

  /**
   * The message is signed with the time of the attempt, so that a receiver can refuse old ones.
   * @param deadline ends the attempt when it is aborted
   */
  async attempt(
    endpoint: Readonly<WebhookEndpoint>,
    message: WebhookMessage,
    deadline?: AbortController,
  ): Promise<AttemptResult> {
    const signed = this.signer.sign(endpoint, message, this.clock.now());
    return signed === null ? withoutResponse('secret_lost') : this.sender.send(signed, deadline);
  }
}

/** The result of an attempt that was not made. */
export function withoutResponse(error: DeliveryError): AttemptResult {
  return { error, responseStatus: null, responseBody: null, durationMs: 0 };
}
