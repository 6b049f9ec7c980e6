import { ExtensionPoint } from '../../kernel/extension-point';
import { type IdPrefix, isId } from '../../kernel/ids';
import type { Tx } from '../../platform/database/database';
import type { CheckoutReport, RefundReport } from './processor-api';

interface Event {
  /** The processor's id of the event. The processor sends each event at least once. */
  readonly id: string;
  readonly accountId: string;
}

export interface CheckoutEvent extends Event {
  readonly kind: 'checkout';
  /** This service's id of the payment request. */
  readonly objectId: string;
  readonly report: CheckoutReport;
}

export interface RefundEvent extends Event {
  readonly kind: 'refund';
  /** This service's id of the refund transaction or the unapplied payment, as in the order. */
  readonly objectId: string;
  readonly report: RefundReport;
}

/** A change that the processor reports to the webhook. */
export type ProcessorEvent = CheckoutEvent | RefundEvent;

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

interface HandlerOf<Event extends ProcessorEvent> {
  readonly name: string;
  readonly kind: Event['kind'];
  /** The prefix of the objects whose events the handler processes. */
  readonly idPrefix: IdPrefix;
  /**
   * Runs in the database transaction that records the event. The object may not exist.
   * @throws DomainError when the event cannot be processed now; the processor repeats it later
   */
  process(tx: Tx, event: Event, now: Date): Promise<void>;
}

export type ProcessorEventHandler = HandlerOf<CheckoutEvent> | HandlerOf<RefundEvent>;

/** The extension point for modules that process events of the processor. */
export class ProcessorEventHandlers extends ExtensionPoint<ProcessorEventHandler> {
  /** @returns null for an event about an object of no module */
  find(event: ProcessorEvent): HandlerOf<ProcessorEvent> | null {
    const handler = this.members.find(
      ({ kind, idPrefix }) => kind === event.kind && isId(idPrefix, event.objectId),
    );
    return handler ?? null;
  }
}
