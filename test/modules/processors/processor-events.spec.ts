import { DomainError } from '../../../src/kernel/domain-error';
import { newId } from '../../../src/kernel/ids';
import { ProcessorEvents } from '../../../src/modules/processors/processor-events.service';
import { ProcessorEvent, ProcessorEventHandlers } from '../../../src/modules/processors/processor-events';
import { Database } from '../../../src/platform/database/database';

const NOW = new Date('2026-11-23T10:00:00Z');
const accountId = newId('acc', NOW);
const event: ProcessorEvent = {
  id: 'evt_1',
  kind: 'refund',
  accountId,
  objectId: newId('txn', NOW),
  report: { reference: 're_1', round: 1, status: 'succeeded', failureReason: null },
};

/** Runs the work at once, without a database. */
const database = {
  runFor: (_holder: string | null, work: () => unknown) => work(),
  transaction: async (work: (tx: unknown, now: Date) => unknown) => work({}, NOW),
} as unknown as Database;

it('An event that a module rejects is unavailable for a moment, and the log can name the cause', async () => {
  const rejection = new DomainError('forbidden', 'Refunds of today are settled tomorrow.');
  const handlers = new ProcessorEventHandlers();
  const process = async (): Promise<void> => {
    throw rejection;
  };
  handlers.register({ name: 'a module', kind: 'refund', idPrefix: 'txn', process });
  const repository = { claim: async () => true, deleteOld: async () => false };
  await expect(
    new ProcessorEvents(database, repository as never, handlers).process(event),
  ).rejects.toMatchObject({
    code: 'unavailable',
    message: rejection.message,
    retryAfterSeconds: 1,
    cause: rejection,
  });
});
