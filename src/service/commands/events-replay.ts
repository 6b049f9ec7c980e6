import { InvalidArgumentError, Option } from 'commander';
import { parseTimestamp } from '../../kernel/clock';
import type { ReplaySelection } from '../../modules/events';
import type { EventTypes } from '../../platform/events/event-types';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes, UsageError } from '../command';

interface ReplayOptions {
  readonly endpoint: string;
  readonly since?: Date;
  readonly failed?: true;
  readonly all?: true;
  readonly type?: readonly string[];
  readonly yes?: true;
  readonly quiet?: true;
}

export const replayEvents: CommandSyntax<ReplayOptions> = {
  name: 'events replay',
  summary: 'deliver past events to a webhook endpoint again',
  details:
    'Prints how many deliveries to an endpoint would be made again, and with --yes makes them due, which workers then do. Events and deliveries are kept for 30 days. Receivers get the same event under the same webhook-id, by which they recognize a repeat.',
  options: [
    new Option('--endpoint <id>', 'the endpoint, whk_...').makeOptionMandatory(),
    new Option('--failed', 'the deliveries that have failed; the default').conflicts('all'),
    new Option('--all', 'also those that have succeeded'),
    new Option('--since <time>', 'those that were created since, like 2026-11-22T10:00:00Z').argParser(time),
    new Option('--type <types...>', 'those of events of these types, like transaction.created'),
    new Option('--yes', 'deliver them'),
    new Option('--quiet', 'show no progress'),
  ],
  examples: [
    '--endpoint whk_01k9x8v2t4e6rb3m5n7p9q1s0w --since 2026-11-22T10:00:00Z',
    '--endpoint whk_01k9x8v2t4e6rb3m5n7p9q1s0w --all --type payment_request.succeeded --yes',
  ],
  failure: 'The events cannot be delivered again',
  run,
};

async function run({ service, terminal, output }: CommandContext, options: ReplayOptions): Promise<ExitCode> {
  const { endpoint, all, since, type, yes } = options;
  if (!endpoint.startsWith('whk_')) throw new UsageError('--endpoint takes the id of an endpoint: whk_...');
  const { EventTypes } = await import('../../platform/events/event-types.js');
  const { WebhookDeliveries } = await import('../../modules/events/index.js');
  const selection: ReplaySelection = {
    statuses: all ? ['succeeded', 'failed'] : ['failed'],
    since: since ?? new Date(0),
    eventTypes: type ?? null,
  };
  return service.run(
    terminal.env,
    async (app) => {
      assertTypes(app.get(EventTypes), type ?? []);
      const deliveries = app.get(WebhookDeliveries, { strict: false });
      const total = await deliveries.countReplay(endpoint, selection);
      if (yes) {
        const progress = output.progress('deliveries');
        const count = await deliveries
          .replay(endpoint, selection, (done) => progress.update(done, total))
          .finally(() => progress.end());
        output.print(`${count} deliveries to ${endpoint} are due again.`);
        output.result({ endpoint, count, replayed: true });
      } else {
        output.print(`${total} deliveries to ${endpoint} would be made again. Nothing was done; add --yes.`);
        output.result({ endpoint, count: total, replayed: false });
      }
      return exitCodes.ok;
    },
    { print: output.print, onExisting: true },
  );
}

/** @throws UsageError for a type that no module declares */
function assertTypes(known: EventTypes, types: readonly string[]): void {
  const unknown = types.find((type) => !known.has(type));
  if (unknown !== undefined) throw new UsageError(`There are no events of the type ${unknown}.`);
}

function time(text: string): Date {
  const parsed = parseTimestamp(text, 'up');
  if (parsed === null) throw new InvalidArgumentError('It must be a time like 2026-11-22T10:00:00Z.');
  return parsed;
}
