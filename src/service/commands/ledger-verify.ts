import { Option } from 'commander';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';
import type { Output } from '../terminal';

interface Verified {
  readonly faults: readonly string[];
  readonly seconds: number;
}

export const verifyLedger: CommandSyntax = {
  name: 'ledger verify',
  summary: 'verify the journal, the balances and the audit log',
  details:
    'Compares the whole journal with the accounts and with what the modules have posted, and checks the chain of the audit log, while the service may run. The exit code is 1 if there is any fault, and if there is no database yet.',
  options: [new Option('--quiet', 'show no progress')],
  examples: ['', '--quiet --json'],
  failure: 'The journal cannot be verified',
  run,
};

async function run({ service, terminal, output }: CommandContext): Promise<ExitCode> {
  const { AuditLogVerification } = await import('../../modules/back-office/index.js');
  const { LedgerVerification } = await import('../../modules/ledger/index.js');
  return service.run(
    terminal.env,
    async (app) => {
      const ledger = await timed(output, (progress) => app.get(LedgerVerification).run(progress));
      report(output, ledger, `${ledger.entries} entries of ${ledger.accounts} accounts`);
      const auditLog = await timed(output, (progress) => app.get(AuditLogVerification).run(progress));
      report(
        output,
        auditLog,
        `${auditLog.entries} entries of the audit log, ${auditLog.erased} with erased values, and ${auditLog.unsealed} not sealed yet`,
      );
      output.result({ journal: ledger, audit_log: auditLog });
      const faults = ledger.faults.length + auditLog.faults.length;
      return faults === 0 ? exitCodes.ok : exitCodes.failed;
    },
    { print: output.print, onExisting: true },
  );
}

/** Runs a verification and shows its progress. */
async function timed<Result>(
  output: Output,
  verify: (progress: (entries: number, total: number) => void) => Promise<Result>,
): Promise<Result & { readonly seconds: number }> {
  const progress = output.progress('entries');
  try {
    const result = await verify((entries, total) => progress.update(entries, total));
    return { ...result, seconds: progress.seconds };
  } finally {
    progress.end();
  }
}

function report({ print }: Output, { faults, seconds }: Verified, checked: string): void {
  for (const fault of faults) print(`FAULT ${fault}`);
  const result = faults.length === 0 ? 'no faults found' : `${faults.length} faults found`;
  print(`${checked} in ${seconds.toFixed(1)} s: ${result}.`);
}
