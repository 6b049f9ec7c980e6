import { Option } from 'commander';
import type { DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes, UsageError } from '../command';
import { readSecret } from '../terminal';
import { Api, DEFAULT_URL, jsonOf, parseApiKey, parseServiceUrl, responseError } from './api';
import { type Configuration, ConfigurationFile } from './configuration';
import { Failure } from './failure';

interface LoginOptions {
  readonly url?: string;
}

export const login: DeveloperCommand<LoginOptions> = {
  name: 'login',
  summary: 'store an API key for the commands of developers',
  details:
    'Checks an API key and stores it with the address of the service in a file that only you can read. The key is asked for on a terminal, or else the first line of the standard input. COUNTINGHOUSE_API_KEY and COUNTINGHOUSE_URL take precedence over the file.',
  options: [new Option('--url <url>', `the address of the service; by default ${DEFAULT_URL}`)],
  examples: ['', '--url https://pay.example.com', '< key-file'],
  failure: 'The API key was not stored',
  run: logIn,
};

async function logIn({ terminal, output }: DeveloperContext, options: LoginOptions): Promise<ExitCode> {
  const url = parseServiceUrl(options.url ?? (terminal.env['COUNTINGHOUSE_URL'] || DEFAULT_URL));
  const text = await readSecret(terminal, `API key for ${url}: `);
  if (text === '') throw new UsageError('There is no API key: write it to the standard input.');
  const key = parseApiKey(text);
  const account = await accountOf(new Api(url, key));
  const file = new ConfigurationFile(terminal.env);
  file.write({ ...readOrNothing(file), url, api_key: key });
  output.print(`Logged in to ${url}${account === null ? '' : ` for ${account}`}. ${file.path} has the key.`);
  output.result({ url, account_id: account });
  return exitCodes.ok;
}

/** @returns the id of the key's account; null when its scopes do not show it @throws Failure when the key is not valid */
async function accountOf(api: Api): Promise<string | null> {
  const reply = await api.send('GET', '/v1/account');
  const body = jsonOf(reply) as { id?: unknown; error?: unknown } | null | undefined;
  if (reply.status === 200 && typeof body?.id === 'string') return body.id;
  if (reply.status === 403 && body?.error === 'forbidden') return null;
  throw responseError(reply);
}

/** A file that is damaged is replaced. */
function readOrNothing(file: ConfigurationFile): Configuration {
  try {
    return file.read();
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

export const logout: DeveloperCommand = {
  name: 'logout',
  summary: 'delete the stored API key',
  details:
    'Deletes the file with the API key, the address of the service and the signing secret of "listen". The key itself stays valid until it is revoked.',
  examples: [''],
  failure: 'The API key was not deleted',
  run: logOut,
};

async function logOut({ terminal, output }: DeveloperContext): Promise<ExitCode> {
  const deleted = new ConfigurationFile(terminal.env).delete();
  output.print(deleted ? 'Logged out. The key stays valid until it is revoked.' : 'No API key was stored.');
  output.result({ deleted });
  return exitCodes.ok;
}
