import type { ProcessorEvent } from './processor-event';

/** The events that the processor sends to `POST /v1/processors/{name}/events`. */
export interface WebhookApi {
  /**
   * Verifies and reads a request to the webhook.
   * @param body the bytes as received, which the signature covers
   * @returns null for an event that does not concern this service
   * @throws DomainError `invalid_request` for a missing, wrong or expired signature and for a malformed body
   */
  parse(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    now: Date,
  ): ProcessorEvent | null;
}
