import { Option } from 'commander';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes, UsageError } from '../command';

interface EraseOptions {
  readonly subject: string;
  readonly reason: string;
}

export const eraseAuditLog: CommandSyntax<EraseOptions> = {
  name: 'audit-log erase',
  summary: 'erase the old and new values of a person from the audit log',
  details:
    'Erases what entries of the audit log say was changed of a user or an account and of what the account owns, such as former emails and names. Who did what and when stays, and the chain still verifies. This cannot be undone, and the audit log records it.',
  options: [
    new Option('--subject <id>', 'the user or the account, usr_... or acc_...').makeOptionMandatory(),
    new Option('--reason <text>', 'why, for the audit log').makeOptionMandatory(),
  ],
  examples: ['--subject usr_01k9x8v2t4e6rb3m5n7p9q1s0w --reason "Erasure request 2041"'],
  failure: 'The values cannot be erased',
  run,
};

async function run(
  { service, terminal, output }: CommandContext,
  { subject, reason }: EraseOptions,
): Promise<ExitCode> {
  const { isId } = await import('../../kernel/ids.js');
  if (!isId('usr', subject) && !isId('acc', subject))
    throw new UsageError('--subject takes the id of a user or an account: usr_... or acc_...');
  const { AuditLogErasure } = await import('../../modules/back-office/index.js');
  return service.run(
    terminal.env,
    async (app) => {
      const count = await app.get(AuditLogErasure).run(subject, reason);
      output.print(`The values of ${count} entries about ${subject} are erased.`);
      output.result({ subject, count });
      return exitCodes.ok;
    },
    { print: output.print, onExisting: true },
  );
}
