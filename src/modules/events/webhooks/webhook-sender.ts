/** Why an attempt got no response that counts. */
export const deliveryErrors = [
  /** The response has a status other than 2xx. */
  'bad_status',
  /** The response is a redirect, which is not followed. */
  'redirect',
  /** No complete response within the time limit. */
  'timeout',
  /** The name of the host has no address. */
  'dns',
  /** The address of the host is not public. */
  'address_refused',
  /** The certificate is not valid for the host. */
  'certificate',
  /** The connection could not be made, or broke. */
  'connection',
  /** The secret of the endpoint can no longer be decrypted. A rotation issues another one. */
  'secret_lost',
  /** The event is no longer stored. */
  'event_expired',
  /** The endpoint was disabled before the delivery succeeded. */
  'endpoint_disabled',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

/** How one attempt ended. */
export interface AttemptResult {
  /** null when the endpoint accepted the message: its response has a status of 2xx. */
  readonly error: DeliveryError | null;
  /** The status of the response; null without a response. */
  readonly responseStatus: number | null;
  /** The first characters of the response; null without a response. */
  readonly responseBody: string | null;
  readonly durationMs: number;
}

/** A request to an endpoint. */
export interface SignedMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The port for requests to webhook endpoints. */
export abstract class WebhookSender {
  /** Whether nothing is ever sent to a URL, because its host is an address that is refused. */
  abstract refuses(url: string): boolean;

  /**
   * Never throws for what the endpoint, its name or its network does.
   * @param deadline ends the request when it is aborted, at the latest by the sender at the time limit
   */
  abstract send(message: SignedMessage, deadline?: AbortController): Promise<AttemptResult>;
}
