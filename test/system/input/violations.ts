import { Reply } from '../../support/api';
import { GeneratedCall } from './generated-calls';

/** What a caller may do. */
export interface Rights {
  /** Whether the token is valid: it exists, and its user and account were not deleted or closed. */
  readonly authenticated: boolean;
  /** Ids that no successful response may contain as `id` or `account_id`. */
  readonly foreignIds: readonly string[];
}

/** Returns what is wrong with a response, or null. That it is documented is checked by `Api`. */
export function violationOf(call: GeneratedCall, { status, body }: Reply, rights: Rights): string | null {
  if (status >= 500) return 'a server error';
  if (!call.valid && status < 400) return 'an invalid call was accepted';
  if (call.operation.protected && !rights.authenticated) {
    if (status < 400) return 'a protected operation works without a valid token';
    // Some rules for bodies, e.g. no NUL, are checked before the token.
    if (status !== 401 && status !== 400) return 'a call without a valid token is not 401';
  }
  if (status < 400 && !rights.authenticated && 'access_token' in body)
    return 'a token was issued without a valid one';
  if (status < 400 && idsIn(body).some((id) => rights.foreignIds.includes(id)))
    return 'the response shows an item of another account';
  return null;
}

/** All values of members named `id` or `account_id`, at any depth. */
function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && (name === 'id' || name === 'account_id') ? [member] : idsIn(member),
  );
}
