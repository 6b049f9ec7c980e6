import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Actor, Device } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/database';
import type { Tokens } from '../domain/logins';
import type { ProviderSettings } from './single-sign-on.settings';

/** The roles that a group of a provider can give. */
export type ProvidedRole = 'admin' | 'support';

/** What a provider says about the person who has signed in there. */
export interface ProvidedIdentity {
  /** With the subject, it identifies the person for ever: emails and names change hands. */
  readonly issuer: string;
  readonly subject: string;
  /** Any text. Null where the provider has none, or says that it is not that of the person. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** When the person signed in at the provider; null if it does not say. */
  readonly authenticatedAt: Date | null;
}

/** Returns the highest role of the groups; null where none of them gives one. */
export function roleOf(
  groups: readonly string[],
  { adminGroups, supportGroups }: Pick<ProviderSettings, 'adminGroups' | 'supportGroups'>,
): ProvidedRole | null {
  if (adminGroups.some((group) => groups.includes(group))) return 'admin';
  return supportGroups.some((group) => groups.includes(group)) ? 'support' : null;
}

/** Where the browser goes next, and what it keeps in a cookie until it comes back. */
export interface BegunSignIn {
  readonly url: string;
  readonly flow: string;
}

/** A session that was opened through a provider. */
export interface FinishedSignIn {
  readonly tokens: Tokens;
  /** The path of the page to show. */
  readonly returnTo: string;
}

/** The response of a provider, which the browser brings. */
export interface ProviderResponse {
  readonly redirectUri: string;
  /** The query of the address, with its question mark. */
  readonly query: string;
  /** The cookie of the browser; null if it has none. */
  readonly flow: string | null;
}

/** Sign-in of admins and support people through OpenID Connect providers. It opens sessions of the console only. */
export abstract class SingleSignOn {
  abstract readonly providers: readonly Pick<ProviderSettings, 'name' | 'label'>[];

  /**
   * @param redirectUri where the provider sends the browser back: one for each provider, so that the response of one is
   * never taken for that of another
   * @param returnTo the path of the page to show after the sign-in
   * @throws DomainError `not_found` for an unknown provider; `unavailable` when it does not respond
   */
  abstract begin(provider: string, redirectUri: string, returnTo: string): Promise<BegunSignIn>;

  /**
   * Checks the response of a provider, creates or changes the user as its groups say, and opens a session.
   * @throws DomainError `not_found`; `invalid_request` when this browser has begun no such sign-in in the last minutes;
   * `invalid_credentials` for a response that is not valid; `forbidden` when no group gives a role, and the role and the
   * sessions that the person had have ended; `email_exists` when another user has the email; `unauthorized` for a user who
   * is suspended; `rate_limited`; `unavailable`
   */
  abstract finish(
    provider: string,
    response: ProviderResponse,
    device: Device,
    consoleIdleSeconds: number,
  ): Promise<FinishedSignIn>;

  /**
   * Returns where the browser signs out at the provider too; null if the provider has no such place, or does not respond.
   * @param returnUrl where the provider sends the browser then
   */
  abstract findSignOutUrl(provider: string, returnUrl: string): Promise<string | null>;
}

/** A user as a provider describes them. */
export interface ProvidedUser {
  readonly email: string;
  readonly name: string | null;
  readonly role: ProvidedRole;
  readonly passwordHash: string;
}

interface ProvidedUserSource {
  readonly name: 'users';
  /** Creates an active user. The commit fails with `email_exists` when a user has the email. @returns the id */
  create(tx: Tx, actor: Actor, user: ProvidedUser, now: Date): string;
  /**
   * Sets the role of a user, unless the user would be the last active admin to lose it.
   * @param role null for `user`
   * @returns whether it has changed
   * @throws DomainError `invalid_request` for a user who is linked to an account; `not_found`
   */
  setRole(tx: Tx, actor: Actor, id: string, role: ProvidedRole | null, now: Date): Promise<boolean>;
}

/** The extension point through which the users module creates and changes the users of providers. */
export class ProvidedUsers extends ExtensionPoint<ProvidedUserSource> {
  constructor() {
    super(['users']);
  }
}
