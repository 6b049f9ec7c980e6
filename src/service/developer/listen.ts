import { Option } from 'commander';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes, UsageError } from '../command';
import type { Terminal } from '../terminal';
import { connect, parseUrl } from './api';
import { ConfigurationFile } from './configuration';
import { eventsOf, ItemStream } from './item-stream';
import { Forwarder } from './forwarder';
import { pause, untilInterrupted } from './interruption';

/** What Standard Webhooks recommends, and the service issues: 24 to 64 bytes, and 32. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const SECRET_BYTES = 32;

interface ListenOptions {
  readonly forwardTo: string;
  readonly events?: string;
  readonly secret?: string;
}

export const listen: DeveloperCommand<ListenOptions> = {
  name: 'listen',
  summary: 'forward events as webhooks to a program on this machine',
  details:
    'Sends the events of the account from now on to a URL, signed like webhooks, until Ctrl-C. It needs no public address, because it reads the events. The API key needs the scope events:read. The signing secret is made once and printed at each start. A forward that fails is repeated three times.',
  options: [
    new Option('--forward-to <url>', 'where the events are sent').makeOptionMandatory(),
    new Option('--events <types>', 'only these types, separated by commas'),
    new Option('--secret <secret>', 'the signing secret, whsec_...; by default the stored one'),
  ],
  examples: [
    '--forward-to http://localhost:4000/webhooks',
    '--forward-to http://localhost:4000/webhooks --events payment_request.succeeded,payment_request.failed',
  ],
  failure: 'The events cannot be forwarded',
  run,
};

async function run({ terminal, output }: DeveloperContext, options: ListenOptions): Promise<ExitCode> {
  const target = parseTarget(options.forwardTo);
  const api = connect(terminal);
  const secret = options.secret === undefined ? storedSecret(terminal) : parseSecret(options.secret);
  const forwarder = new Forwarder(target, new Webhook(secret), output, pause);
  const notice = (line: string): void => void terminal.stderr.write(`${line}\n`);
  await untilInterrupted(terminal, async (signal) => {
    const stream = new ItemStream(api, eventsOf(options.events?.split(',')), { signal, notice, pause });
    await stream.begin();
    output.print(`Forwarding events of ${api.url} to ${target}. Ctrl-C ends it.`);
    output.print(`The signing secret is ${secret}`);
    output.result({ forward_to: target, secret });
    for await (const event of stream.items()) await forwarder.forward(event, signal);
  });
  return exitCodes.ok;
}

/** @throws UsageError */
function parseTarget(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new UsageError('--forward-to must be a URL such as http://localhost:4000/webhooks.');
  return url.href;
}

/** @throws UsageError, whose message does not repeat the text */
function parseSecret(text: string): string {
  if (!SECRET.test(text) || Buffer.from(text.slice('whsec_'.length), 'base64').length < 24)
    throw new UsageError('--secret must be whsec_ and 24 to 64 bytes in base64.');
  return text;
}

/** The secret stays the same between runs, because the receiver is configured with it. */
function storedSecret({ env }: Terminal): string {
  const file = new ConfigurationFile(env);
  const stored = file.read();
  if (stored.webhook_secret !== undefined && SECRET.test(stored.webhook_secret)) return stored.webhook_secret;
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  file.write({ ...stored, webhook_secret: secret });
  return secret;
}
