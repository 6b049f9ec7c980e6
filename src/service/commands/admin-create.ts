import { Option } from 'commander';
import { ConfigError } from '../../platform/config/settings';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes, UsageError } from '../command';
import { readSecret } from '../terminal';

interface AdminOptions {
  readonly email?: string;
}

export const createAdmin: CommandSyntax<AdminOptions> = {
  name: 'admin create',
  summary: 'create an admin',
  details:
    'Creates an admin, also while the service runs. A user with this email who exists already is not changed. The password is that of ADMIN_PASSWORD or ADMIN_PASSWORD_FILE; otherwise it is asked for on a terminal, or else the first line of the standard input. No argument takes it, because others can see the arguments of a process.',
  options: [new Option('--email <address>', 'the email of the admin; by default that of ADMIN_EMAIL')],
  examples: ['--email admin@example.com', '--email admin@example.com < password-file'],
  failure: 'The admin cannot be created',
  run,
};

async function run(
  { service, terminal, output }: CommandContext,
  { email }: AdminOptions,
): Promise<ExitCode> {
  const env: NodeJS.ProcessEnv = { ...terminal.env, ...(email !== undefined && { ADMIN_EMAIL: email }) };
  if (!env['ADMIN_EMAIL']) throw new UsageError('Name the admin with --email, or with ADMIN_EMAIL.');
  const { isEmail } = await import('class-validator');
  if (!isEmail(env['ADMIN_EMAIL'])) throw new UsageError(`${env['ADMIN_EMAIL']} is not an email address.`);
  if (!env['ADMIN_PASSWORD'] && !env['ADMIN_PASSWORD_FILE']) {
    env['ADMIN_PASSWORD'] = await readSecret(terminal, `Password of ${env['ADMIN_EMAIL']}: `);
    if (env['ADMIN_PASSWORD'] === '')
      throw new UsageError('There is no password: set ADMIN_PASSWORD, or write it to the standard input.');
  }
  const print = output.print;
  const { ensureFirstAdmin } = await import('../application.js');
  const admin = await service.run(env, ensureFirstAdmin, { print });
  if (admin === null)
    throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: must be set, to the email and password of the admin');
  print(
    admin.created
      ? `The admin ${admin.email} was created.`
      : `Nothing was changed: a user with the email ${admin.email} exists already.`,
  );
  output.result(admin);
  return exitCodes.ok;
}
