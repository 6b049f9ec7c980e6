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

/** Polls until there is a value. @returns it @throws Error after the timeout */
export async function untilFound<T>(
  find: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  let found: T | null | undefined | false;
  if (await until(async () => Boolean((found = await find())))) return found as T;
  throw new Error(`Nothing was found within ${TIMEOUT_MS} ms by ${String(find)}`);
}

type Matchers<T> = jest.Matchers<Promise<void>, T>;

/** Repeats an assertion until it holds, as in `await eventually(() => count()).toBe(3)`. It fails after the timeout. */
export function eventually<T>(read: () => Promise<T> | T): Matchers<T> {
  const repeated =
    (matcher: string) =>
    async (...expected: unknown[]) => {
      let failure: unknown;
      const holds = await until(async () => {
        try {
          const assertion: unknown = expect(await read());
          (assertion as Record<string, (...values: unknown[]) => void>)[matcher]!(...expected);
          return true;
        } catch (error) {
          failure = error;
          return false;
        }
      });
      if (!holds) throw failure;
    };
  return new Proxy({} as Matchers<T>, { get: (_, matcher) => repeated(String(matcher)) });
}
