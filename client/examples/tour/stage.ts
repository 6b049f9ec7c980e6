import { ApiError, type Countinghouse, type ErrorCode, type Fetch, type Login } from 'countinghouse-client';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** Where the tour takes place: a service, and an audience that sees each request with its response. */
export interface Stage {
  readonly baseUrl: string;
  /** An admin of the service, if one is known. */
  readonly admin: Login | null;
  chapter(title: string): void;
  /** Says what comes next. @throws Error when an earlier response is not as documented */
  say(text: string): void;
  /** Returns a `fetch` that shows the requests of a person with their responses. */
  fetchOf(name: string): Fetch;
  /** Cuts the connection of the next request before its response arrives. */
  loseNextResponse(): void;
}

/** A login without a second factor. */
type PasswordLogin = Pick<Login, 'email' | 'password'>;

export interface Person {
  /** The id of the user, or of the account that logs in with its own credentials. */
  readonly id: string;
  readonly login: PasswordLogin;
  readonly client: Countinghouse;
}

export interface AccountHolder extends Person {
  readonly accountId: string;
}

/** A suffix that no earlier tour has used, so that the tour can take place again on the same database. */
export const run = randomBytes(4).toString('hex');

const PASSWORD = `demo ${randomBytes(12).toString('hex')}`;

export function loginOf(name: string): PasswordLogin {
  return { email: `${name}.${run}@example.com`, password: PASSWORD };
}

/** @throws Error for a member that does not have the expected value */
export function expect<T extends object>(found: T, expected: Partial<NoInfer<T>>): void {
  for (const name of Object.keys(expected) as (keyof T & string)[]) {
    if (isDeepStrictEqual(found[name], expected[name])) continue;
    const [is, should] = [found[name], expected[name]].map((value) => JSON.stringify(value));
    throw new Error(`${name} is ${is}, which should be ${should}`);
  }
}

/** Waits for a request that the service refuses. @throws Error when it succeeds, or fails for another reason */
export async function refused(request: Promise<unknown>, code: ErrorCode): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ApiError && error.is(code)) return;
    throw error;
  }
  throw new Error(`the response is a success and should be the error ${code}`);
}
