import { Argument } from 'commander';
import { type DeveloperCommand, type DeveloperContext, type ExitCode, exitCodes } from '../command';
import { connect, isSuccess, jsonOf, responseError } from './api';
import { Failure } from './failure';

interface GetOptions {
  readonly path: string;
  readonly json?: true;
}

export const get: DeveloperCommand<GetOptions> = {
  name: 'get',
  summary: 'print a response of the API',
  details:
    'Sends a GET with the API key, and prints the JSON of the response. An error is printed to the standard error, and the exit code is 1.',
  arguments: [new Argument('<path>', 'the path, like /v1/transactions?limit=10')],
  examples: ['/v1/account', '"/v1/transactions?limit=10"'],
  failure: 'There is no response to print',
  run,
};

async function run({ terminal }: DeveloperContext, { path, json }: GetOptions): Promise<ExitCode> {
  const reply = await connect(terminal).send('GET', path);
  const body = jsonOf(reply);
  if (!isSuccess(reply.status)) {
    const { code, message } = responseError(reply);
    terminal.stderr.write(`${formatJson({ error: code, message })}\n`);
    return exitCodes.failed;
  }
  if (body === undefined) throw new Failure('It is not JSON.');
  terminal.stdout.write(`${formatJson(body, json ? 0 : 2)}\n`);
  return exitCodes.ok;
}

/** Characters that a terminal may obey, and those that disguise a text, are escaped. */
function formatJson(value: unknown, indentation = 2): string {
  return JSON.stringify(value, null, indentation).replace(/[\u007f-\u009f\p{Cf}]/gu, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
