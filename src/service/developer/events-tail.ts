import { Option } from 'commander';
import { displayText } from '../../kernel/text';
import type { DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes } from '../command';
import { connect } from './api';
import type { ServiceEvent } from './event-stream';
import { EventStream } from './event-stream';
import { pause, untilInterrupted } from './interruption';

interface TailOptions {
  readonly type?: readonly string[];
}

export const tailEvents: DeveloperCommand<TailOptions> = {
  name: 'events tail',
  summary: 'print events as they come',
  details:
    'Prints the events of the account from now on, until Ctrl-C. The API key needs the scope events:read, and shows the events that its other scopes read.',
  options: [new Option('--type <types...>', 'those of these types, like transaction.created')],
  examples: ['', '--type payment_request.succeeded payment_request.failed', '--json'],
  failure: 'The events cannot be read',
  run,
};

async function run({ terminal, output }: DeveloperContext, { type }: TailOptions): Promise<ExitCode> {
  const api = connect(terminal);
  const notice = (line: string): void => void terminal.stderr.write(`${line}\n`);
  await untilInterrupted(terminal, async (signal) => {
    const stream = new EventStream(api, { types: type, signal, notice, pause });
    await stream.begin();
    notice(`Waiting for events of ${api.url}. Ctrl-C ends it.`);
    for await (const event of stream.events()) {
      output.print(lineOf(event));
      output.result(event);
    }
  });
  return exitCodes.ok;
}

/** An event as a line for people. */
export function lineOf({ created_at, type, object_id }: ServiceEvent): string {
  return displayText(`${created_at} ${type} ${object_id}`);
}
