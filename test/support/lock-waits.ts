import { isOnCitus, onUrl } from './citus';
import { TestService } from './service';
import { until } from './until';

/**
 * Waits until a statement in the database of a service waits for a lock; on Citus, it does so on a worker.
 * @throws Error when none does in time
 */
export async function untilOneWaits({ databaseUrl }: Pick<TestService, 'databaseUrl'>): Promise<void> {
  const activity = isOnCitus ? 'citus_stat_activity' : 'pg_stat_activity';
  const waiting = `SELECT 1 FROM ${activity} WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  if (!(await until(async () => (await onUrl(databaseUrl, waiting)).length > 0)))
    throw new Error('No statement waits for a lock.');
}
