import { Option } from 'commander';
import type { DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes, UsageError } from '../command';
import { readLine, readSecret, type Terminal } from '../terminal';
import { Api, serviceUrl } from './api';
import { ConfigurationFile } from './configuration';
import { ResponseError } from './failure';

interface CreateKeyOptions {
  readonly name: string;
  readonly scopes?: string;
  readonly email?: string;
  readonly otp?: string;
}

interface CreatedKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly key: string;
}

export const createKey: DeveloperCommand<CreateKeyOptions> = {
  name: 'keys create',
  summary: 'create an API key as the owner of an account',
  details:
    'Creates an API key and prints it, only this once. An API key cannot create others, so this command logs in as the owner, and out again. The password is asked for on a terminal, or else the first line of the standard input.',
  options: [
    new Option('--name <name>', 'what the key is for').makeOptionMandatory(),
    new Option('--scopes <scopes>', 'what it may do, separated by commas; by default everything'),
    new Option('--email <email>', 'the email of the owner; by default it is asked for'),
    new Option('--otp <code>', 'the code of the second factor, if it is not to be asked for'),
  ],
  examples: ['--name "Web shop"', '--name Reports --scopes transactions:read,payments:read'],
  failure: 'The API key was not created',
  run,
};

async function run({ terminal, output }: DeveloperContext, options: CreateKeyOptions): Promise<ExitCode> {
  const url = serviceUrl(terminal, new ConfigurationFile(terminal.env).read());
  const owner = await logIn(terminal, new Api(url, null), options);
  const { name, scopes } = options;
  try {
    const body = { name, ...(scopes !== undefined && { scopes: scopes.split(',') }) };
    const key = await owner.create<CreatedKey>('/v1/api-keys', body);
    output.print(`The API key ${key.id} was created, with ${key.scopes.join(', ')}. It is shown only here:`);
    output.print(key.key);
    output.result(key);
  } finally {
    // The session would end by itself; what happened to the key matters more than its end.
    await owner.delete('/v1/auth/session').catch(() => undefined);
  }
  return exitCodes.ok;
}

/** @returns the API with an access token @throws UsageError; Failure */
async function logIn(terminal: Terminal, api: Api, { email: given, otp }: CreateKeyOptions): Promise<Api> {
  const isAsked = terminal.stdin.isTTY;
  if (given === undefined && !isAsked) throw new UsageError('Name the owner with --email.');
  const email = given ?? (await readLine(terminal, `Email of the owner at ${api.url}: `));
  const password = await readSecret(terminal, `Password of ${email}: `);
  if (password === '') throw new UsageError('There is no password: write it to the standard input.');
  const attempt = async (code?: string): Promise<Api> => {
    const body = { email, password, ...(code !== undefined && { otp: code }) };
    const { access_token: token } = await api.post<{ access_token: string }>('/v1/auth/login', body);
    return new Api(api.url, token);
  };
  try {
    return await attempt(otp);
  } catch (error) {
    const isCodeMissing = error instanceof ResponseError && error.code === 'otp_required';
    if (!isCodeMissing || !isAsked) throw error;
    return attempt(await readSecret(terminal, 'Code of the second factor: '));
  }
}
