import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';
import type { CheckedFinding } from '../diagnosis';

const LABELS = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' } as const;

export const doctor: CommandSyntax = {
  name: 'doctor',
  summary: 'check the settings and what the service depends on',
  details:
    'Checks the settings, the database and its migrations, the clock, the mail server, the payment processor and whatever else modules check, and says how to mend what is wrong. It changes nothing and prints no secret. The exit code is 1 if there is an error; warnings do not count.',
  examples: ['', '--json'],
  failure: 'The service cannot be checked',
  run,
};

async function run({ service, terminal, output }: CommandContext): Promise<ExitCode> {
  const { diagnose } = await import('../diagnosis.js');
  const findings: CheckedFinding[] = [];
  for await (const finding of diagnose(service, terminal.env, { print: output.print })) {
    findings.push(finding);
    output.print(`${LABELS[finding.status]} ${finding.check}: ${finding.message}`);
    if (finding.remedy !== null) output.print(`        ${finding.remedy}`);
  }
  const [errors, warnings] = [count(findings, 'error'), count(findings, 'warning')];
  output.print(`${errors} errors, ${warnings} warnings.`);
  output.result({ errors, warnings, findings });
  return errors === 0 ? exitCodes.ok : exitCodes.failed;
}

function count(findings: readonly CheckedFinding[], status: CheckedFinding['status']): number {
  return findings.filter((finding) => finding.status === status).length;
}
