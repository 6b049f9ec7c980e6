const TIMEOUT_MS = 40_000;

/** Polls until the condition holds. @returns false after the timeout */
export async function until(condition: () => Promise<boolean> | boolean): Promise<boolean> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
