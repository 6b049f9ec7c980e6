import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { Database } from '../../platform/database/database';
import { ProcessorEvent, ProcessorEventHandlers } from './processor-events';
import { ProcessorEventsRepository } from './processors.repository';

/** When the processor may repeat an event. It chooses the time itself, mostly a later one. */
const RETRY_SECONDS = 1;

@Injectable()
export class ProcessorEvents {
  constructor(
    private readonly database: Database,
    private readonly repository: ProcessorEventsRepository,
    private readonly handlers: ProcessorEventHandlers,
  ) {}

  /**
   * Processes and records an event in one database transaction, so that it takes effect once.
   * @throws DomainError `unavailable` when the event cannot be processed now; the processor repeats it later
   */
  async process(event: ProcessorEvent): Promise<void> {
    const handler = this.handlers.find(event);
    if (handler === null) return;
    try {
      await this.database.runFor(event.accountId, () =>
        this.database.transaction(async (tx, now) => {
          if (await this.repository.claim(tx, event.id, now)) await handler.process(tx, event, now);
        }),
      );
    } catch (error) {
      // For example, an extension forbids settling a refund at the moment.
      if (error instanceof DomainError)
        throw new DomainError('unavailable', error.message, RETRY_SECONDS, { cause: error });
      throw error;
    }
  }
}
