import { ExtensionPoint } from '../../../kernel/extension-point';
import type { IdPrefix } from '../../../kernel/ids';
import { isId } from '../../../kernel/ids';
import type { Tx } from '../../../platform/database/tx';
import type { CheckoutEvent, ProcessorEvent, RefundEvent } from './processor-event';

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
  constructor() {
    super('ProcessorEventHandlers');
  }

  /** @returns null for an event about an object of no module */
  find(event: ProcessorEvent): HandlerOf<ProcessorEvent> | null {
    const handler = this.members.find(
      ({ kind, idPrefix }) => kind === event.kind && isId(idPrefix, event.objectId),
    );
    return handler ?? null;
  }
}
