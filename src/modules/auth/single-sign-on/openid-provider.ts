import { LRUCache } from 'lru-cache';
import type { Configuration, IDToken } from 'openid-client';
import * as openid from 'openid-client';
import { boundedFetch } from '../../../kernel/bounded-fetch';
import { HOUR_MS, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { hasVisibleCharacter } from '../../../kernel/text';
import type { ProvidedIdentity } from './single-sign-on';
import type { ProviderSettings } from './single-sign-on.settings';

/** Each call of a provider ends by then, whatever the provider sends. */
const DEADLINE_MS = 5 * SECOND_MS;

/** Far more than the metadata, keys and claims of any provider. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** What the provider announces is read again after this time. */
const METADATA_MS = HOUR_MS;

const MAX_NAME_CHARACTERS = 255;

/** What binds the response of a provider to the browser that asked for it. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** An OpenID Connect provider: the authorization code flow with state, nonce and PKCE. */
export class OpenIdProvider {
  private readonly metadata = new LRUCache<'current', Promise<Configuration>>({ max: 1, ttl: METADATA_MS });

  /** @param maxAgeSeconds how recent the login at the provider must be; 0 for any */
  constructor(
    readonly settings: ProviderSettings,
    private readonly maxAgeSeconds: number,
    private readonly deadlineMs = DEADLINE_MS,
  ) {}

  /** Reads what the provider announces, unless it is known. @throws DomainError `unavailable`, with the cause */
  async discover(): Promise<Configuration> {
    const known = this.metadata.get('current');
    if (known !== undefined) return known;
    const discovery = this.readMetadata();
    this.metadata.set('current', discovery);
    discovery.catch(() => this.metadata.delete('current'));
    return discovery;
  }

  /** Returns where the browser signs in. @throws DomainError `unavailable` */
  async authorizationUrl(redirectUri: string, checks: SignInChecks): Promise<string> {
    const configuration = await this.discover();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scope,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
      ...(this.maxAgeSeconds > 0 && { max_age: String(this.maxAgeSeconds) }),
    });
    return url.href;
  }

  /**
   * Exchanges the code in the response of the provider for an id token, of which issuer, audience, signature, expiry,
   * nonce and time of the login are checked. What is not in it is read from the userinfo of the same subject.
   * @param response the redirect URI with the parameters that the browser brings
   * @throws DomainError `invalid_credentials` for a response that is not valid; `unavailable`; both with the cause
   */
  async identify(response: URL, checks: SignInChecks): Promise<ProvidedIdentity> {
    const configuration = await this.discover();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, response, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
        ...(this.maxAgeSeconds > 0 && { maxAge: this.maxAgeSeconds }),
      });
      const claims = tokens.claims()!;
      if (claims[this.settings.groupsClaim] !== undefined && claims['email'] !== undefined)
        return this.parseClaims(claims);
      const userInfo = await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      // Whether an email is verified is said where the email is.
      const { email, email_verified } = claims['email'] === undefined ? userInfo : claims;
      return this.parseClaims({ ...userInfo, ...claims, email, email_verified });
    } catch (cause) {
      throw describeFailure(cause);
    }
  }

  /** Returns where the browser signs out; null if the provider announces no such place. @throws DomainError `unavailable` */
  async findSignOutUrl(returnUrl: string): Promise<string | null> {
    const configuration = await this.discover();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return openid.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl }).href;
  }

  private async readMetadata(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    try {
      const configuration = await openid.discovery(
        new URL(issuer),
        clientId,
        undefined,
        authenticateWith(clientSecret),
        {
          [openid.customFetch]: (url, init) => boundedFetch(MAX_RESPONSE_BYTES, url, init),
          timeout: this.deadlineMs / SECOND_MS,
          execute: [
            openid.enableNonRepudiationChecks, // verifies the signatures of id tokens
            ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
          ],
        },
      );
      // For some providers the library accepts the issuers of many tenants, with people of anybody.
      if (configuration.serverMetadata().issuer !== issuer)
        throw new Error('The provider has another issuer.');
      return configuration;
    } catch (cause) {
      throw new DomainError('unavailable', UNAVAILABLE, 1, { cause });
    }
  }

  private parseClaims(claims: IDToken): ProvidedIdentity {
    const { iss: issuer, sub: subject, email, email_verified, name, auth_time } = claims;
    const groups = claims[this.settings.groupsClaim];
    // Some providers send the boolean as text.
    const isEmailVerified = email_verified === true || email_verified === 'true';
    // OpenID Connect Core 1.0, section 2. The database rejects some other characters.
    if (!/^[\x20-\x7e]{1,255}$/.test(subject)) throw new Error('The subject is not ASCII.');
    return {
      issuer,
      subject,
      email: typeof email === 'string' && (isEmailVerified || email_verified === undefined) ? email : null,
      isEmailVerified,
      name: isUsableName(name) ? name : null,
      groups: isTextArray(groups) ? groups : [],
      authenticatedAt: auth_time === undefined ? null : new Date(auth_time * SECOND_MS),
    };
  }
}

const UNAVAILABLE = 'The provider does not respond as it should. Retry later.';

/** By HTTP Basic, which every provider has to support, unless it announces something else. */
function authenticateWith(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

function describeFailure(cause: unknown): DomainError {
  const { code } = cause as { code?: unknown };
  if (cause instanceof TypeError || code === 'OAUTH_TIMEOUT')
    return new DomainError('unavailable', UNAVAILABLE, 1, { cause });
  const message = 'The response of the provider is not valid. Sign in again.';
  return new DomainError('invalid_credentials', message, undefined, { cause });
}

function isUsableName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.length <= MAX_NAME_CHARACTERS &&
    name.isWellFormed() &&
    !name.includes('\0') &&
    hasVisibleCharacter(name)
  );
}

function isTextArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
