import { Option } from 'commander';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';
import type { Service } from '../service';

interface OpenApiOptions {
  readonly output?: string;
}

export const printOpenApi: CommandSyntax<OpenApiOptions> = {
  name: 'openapi',
  summary: 'print the OpenAPI document',
  details: 'Prints the OpenAPI document of the service, which runs on a temporary PostgreSQL meanwhile.',
  options: [new Option('--output <file>', 'write the document to a file; a missing folder is created')],
  examples: ['', '--output openapi.json'],
  failure: 'The OpenAPI document cannot be created',
  run,
};

async function run(
  { service, terminal, output }: CommandContext,
  { output: file }: OpenApiOptions,
): Promise<ExitCode> {
  const text = `${JSON.stringify(await createDocument(service, terminal.env), null, 2)}\n`;
  if (file === undefined) terminal.stdout.write(text);
  else {
    const created = mkdirSync(dirname(file), { recursive: true });
    if (created !== undefined) output.print(`Created the folder ${created}.`);
    writeFileSync(file, text);
    output.print(`Wrote the OpenAPI document to ${file}.`);
    output.result({ file });
  }
  return exitCodes.ok;
}

async function createDocument(service: Service, env: NodeJS.ProcessEnv): Promise<object> {
  const { onTemporaryPostgres } = await import('../../embedded-postgres/temporary-postgres.js');
  return onTemporaryPostgres(async (databaseUrl) => {
    const running = await service.start({
      ...env, // extensions may require settings
      NODE_ENV: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      RUN_WORKER: 'false',
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: '',
      JWT_SECRETS: 'a placeholder because no token is signed here',
      JWT_SECRETS_FILE: '',
    });
    try {
      return (await (await fetch(`${running.url}/openapi.json`)).json()) as object;
    } finally {
      await running.stop();
    }
  });
}
