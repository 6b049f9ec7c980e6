import { setTimeout as delay } from 'node:timers/promises';
import type { Terminal } from '../terminal';

/** Runs work until Ctrl-C, SIGTERM, or the end of the program that reads the output; each aborts the signal. */
export async function untilInterrupted(
  { stdout }: Pick<Terminal, 'stdout'>,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interruption = new AbortController();
  const abort = (): void => interruption.abort();
  process.on('SIGINT', abort).on('SIGTERM', abort);
  stdout.on('error', abort);
  try {
    await work(interruption.signal);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
    stdout.off('error', abort);
  }
}

/** Waits for some time, or until the signal is aborted. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export const pause: Pause = async (ms, signal) => {
  await delay(ms, undefined, { signal }).catch(() => undefined);
};
