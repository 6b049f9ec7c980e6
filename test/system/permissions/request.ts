import { newId } from '../../../src/kernel/ids';
import { Caller, Home, Preparation } from './cast';

/** How a row of the permission matrix calls its operation. */
export interface Request {
  /** The caller in the column `self`: the member in the path, or the account. */
  readonly about: 'user' | 'account';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: (home: Home) => string | Promise<string>;
  readonly body?: (home: Home, caller: Caller) => object | Promise<object>;
  /** What a list contains if it shows the resource of the row. Rows without it do not check. */
  readonly shows?: (home: Home) => string | Promise<string>;
  /** The request prepares the account in a way that would change other rows, so it gets callers of its own. */
  readonly apart?: true;
}

/** The rows that a module adds to the permission matrix. */
export interface Permissions extends Preparation {
  /** The settings without which the service does not have the operations. */
  readonly settings?: NodeJS.ProcessEnv;
  /** The table: a heading with the columns, then one line per row (see permissions.suite.ts). */
  readonly matrix: string;
  /** The request of each row, by the label of the row. */
  readonly requests: Readonly<Record<string, Request>>;
}

/** A well-formed id that does not exist. */
export const absent = (prefix: Parameters<typeof newId>[0]) => newId(prefix, new Date());

/** A string that is not an id. */
export const MALFORMED = 'no-id-at-all';

export const at = (path: string) => () => path;

export const get = (path: Request['path'], shows?: Request['shows']): Request => ({
  about: 'account',
  method: 'GET',
  path,
  shows,
});

export const post = (path: string | Request['path'], body: Request['body']): Request => ({
  about: 'account',
  method: 'POST',
  path: typeof path === 'string' ? at(path) : path,
  body,
});

export const patch = (path: Request['path'], body: object): Request => ({
  about: 'account',
  method: 'PATCH',
  path,
  body: () => body,
});

export const remove = (path: Request['path'], body?: Request['body']): Request => ({
  about: 'account',
  method: 'DELETE',
  path,
  body,
});
