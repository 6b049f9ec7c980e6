import { Counts } from './flood';
import { AttackSummary, Phase } from './verdict';

const PHASE_COLUMNS = [
  'Phase',
  'Attack',
  'Requests',
  'Limited',
  'Failed',
  'p50 ms',
  'p99 ms',
  'Longest login ms',
  'Delay of the clients ms',
  'Memory MB',
  'Sockets',
  'Database connections',
  'Responses to the attackers',
];
const ATTACK_COLUMNS = [
  'Attack',
  'Requests',
  'Limited',
  'p99 quiet ms',
  'p99 ms',
  'Ratio',
  'Longest login ms',
  'Largest memory MB',
  'Responses to the attackers',
];

export const phaseHeading = headingOf(PHASE_COLUMNS);

/** A row of a Markdown table. */
export function phaseRow(number: number, phase: Phase): string {
  const { requests, limited, failures, p50Ms, p99Ms, longestLoginMs, clientDelayMs } = phase;
  const served = [requests, limited, failures.length, p50Ms, p99Ms, longestLoginMs, clientDelayMs];
  const held = [phase.residentMb, phase.sockets, phase.databaseConnections];
  return rowOf([number, phase.attack ?? '', ...served, ...held, countsIn(phase.attackResponses)]);
}

/** A Markdown table with one row per attack. */
export function attackTable(summaries: readonly AttackSummary[]): string {
  const rows = summaries.map((summary) => {
    const { attack, requests, limited, quietP99Ms, p99Ms, slowdown } = summary;
    const { longestLoginMs, residentMb, responses } = summary;
    const figures = [requests, limited, quietP99Ms, p99Ms, slowdown.toFixed(1), longestLoginMs, residentMb];
    return rowOf([attack, ...figures, countsIn(responses)]);
  });
  return headingOf(ATTACK_COLUMNS) + rows.join('');
}

function headingOf(columns: readonly string[]): string {
  return rowOf(columns) + rowOf(columns.map(() => '---'));
}

function rowOf(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function countsIn(counts: Counts): string {
  return Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
}
