import { Option } from 'commander';
import { displayText } from '../../kernel/text';
import { type DeveloperCommand, type DeveloperContext, type ExitCode, exitCodes } from '../command';
import { connect } from './api';
import { pause, untilInterrupted } from './interruption';
import type { LoggedRequest, ServiceEvent, Source } from './item-stream';
import { eventsOf, ItemStream, requestLog } from './item-stream';

interface EventOptions {
  readonly type?: readonly string[];
}

export const tailEvents: DeveloperCommand<EventOptions> = {
  name: 'events tail',
  summary: 'print events as they come',
  details:
    'Prints the events of the account from now on, until Ctrl-C. The API key needs the scope events:read, and shows the events that its other scopes read.',
  options: [new Option('--type <types...>', 'those of these types, like transaction.created')],
  examples: ['', '--type payment_request.succeeded payment_request.failed', '--json'],
  failure: 'The events cannot be read',
  run: (context, { type }) => tail(context, 'events', eventsOf(type), eventLine),
};

export const tailRequests: DeveloperCommand = {
  name: 'requests tail',
  summary: 'print requests to the API as they end',
  details:
    'Prints the requests of the account from now on, of all its programs and people, until Ctrl-C. The API key needs the scope requests:read. Of successful reads, one a second is logged.',
  examples: ['', '--json'],
  failure: 'The requests cannot be read',
  run: (context) => tail(context, 'requests', requestLog, requestLine),
};

async function tail<Item extends { readonly id: string }>(
  { terminal, output }: DeveloperContext,
  items: string,
  source: Source<Item>,
  lineOf: (item: Item) => string,
): Promise<ExitCode> {
  const api = connect(terminal);
  const notice = (line: string): void => void terminal.stderr.write(`${line}\n`);
  await untilInterrupted(terminal, async (signal) => {
    const stream = new ItemStream(api, source, { signal, notice, pause });
    await stream.begin();
    notice(`Waiting for ${items} of ${api.url}. Ctrl-C ends it.`);
    for await (const item of stream.items()) {
      output.print(lineOf(item));
      output.result(item);
    }
  });
  return exitCodes.ok;
}

/** An event as a line for people. */
export function eventLine({ created_at, type, object_id }: ServiceEvent): string {
  return displayText(`${created_at} ${type} ${object_id}`);
}

function requestLine({ created_at, method, path, status, error, duration_ms }: LoggedRequest): string {
  const outcome = error === null ? '' : ` ${error}`;
  return displayText(`${created_at} ${status} ${method} ${path}${outcome} (${duration_ms} ms)`);
}
