import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock';
import { WebhookEndpoint } from '../domain/webhook-endpoint';
import { AttemptResult, DeliveryError, WebhookSender } from '../domain/webhook-sender';
import { WebhookMessage, WebhookSigner } from './webhook-signer';

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
