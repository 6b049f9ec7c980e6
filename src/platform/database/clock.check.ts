import { SECOND_MS } from '../../kernel/clock';
import type { CheckContext, Finding, HealthCheck } from '../config/health-check';
import { fault, ok, warning } from '../config/health-check';

const WARNING_MS = SECOND_MS;
const ERROR_MS = 10 * SECOND_MS;

const REMEDY = 'Synchronize both machines with the same time servers (chrony, systemd-timesyncd).';

/** The clock of this machine against that of the database, whose time is taken in the middle of the query. */
export const clockCheck: HealthCheck = {
  name: 'clock',
  async run({ clock, query }: CheckContext): Promise<readonly Finding[]> {
    if (query === null) return [];
    const before = clock.now().getTime();
    const [row] = await query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const after = clock.now().getTime();
    const ahead = Math.round((before + after) / 2 - row!.now.getTime());
    // What the query took is no difference of the clocks.
    const certain = Math.max(0, Math.abs(ahead) - Math.ceil((after - before) / 2));
    const seconds = (Math.abs(ahead) / SECOND_MS).toFixed(1);
    const message = `The clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the database.`;
    if (certain >= ERROR_MS) return [fault(message, REMEDY)];
    if (certain >= WARNING_MS) return [warning(message, REMEDY)];
    return [ok('The clock of this machine agrees with that of the database.')];
  },
};
