const DEADLINE_MS = 20_000;

/** Waits for what another process does, or this one by itself. @returns whether it happened in time */
export async function until(what: () => Promise<boolean> | boolean): Promise<boolean> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await what())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}
