import type { Clock } from '../../kernel/clock';
import type { Settings } from './settings';

/** What a check has found. It contains no secret. */
export interface Finding {
  /** `error`: the service does not work, or not as it should. `warning`: someone should look at it. */
  readonly status: 'ok' | 'warning' | 'error';
  /** One sentence. */
  readonly message: string;
  /** What to do, unless the status is `ok`. */
  readonly remedy: string | null;
}

export interface CheckContext {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Runs one SELECT on the database; null when there is none to ask, which another check reports. */
  readonly query: CheckQuery | null;
}

export type CheckQuery = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** A check of what a module depends on, which `countinghouse doctor` runs. It changes nothing. */
export interface HealthCheck {
  /** Small letters, unique in the service. */
  readonly name: string;
  /** @returns one finding at least, or none if the check does not apply */
  run(context: CheckContext): Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message, remedy: null });
export const warning = (message: string, remedy: string): Finding => ({ status: 'warning', message, remedy });
export const fault = (message: string, remedy: string): Finding => ({ status: 'error', message, remedy });
