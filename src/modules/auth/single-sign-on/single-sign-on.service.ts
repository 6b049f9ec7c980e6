import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../kernel/client-network';
import { type Clock, MINUTE_MS } from '../../../kernel/clock';
import { DomainError, rateLimited } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { type Finding, type HealthCheck, ok, warning } from '../../../platform/config/health-check';
import type { SecretCipher } from '../../../platform/config/secret-cipher';
import type { SharedLimit } from '../../../platform/database/shared-limit';
import { Log } from '../../../platform/telemetry/log';
import { LoginSessions } from '../application/login-sessions';
import { disabledSubject, TokenIssuer } from '../application/logins.service';
import { newToken } from '../domain/secret-tokens';
import { IdentityUsers } from './identity-users.service';
import { OpenIdProvider, type SignInChecks } from './openid-provider';
import { BegunSignIn, FinishedSignIn, ProviderResponse, SingleSignOn } from './single-sign-on';
import { singleSignOnSettings } from './single-sign-on.settings';

/** The time to sign in at the provider. */
const FLOW_MS = 10 * MINUTE_MS;

interface SignInFlow extends SignInChecks {
  /** The path of the page to show after the sign-in. */
  readonly returnTo: string;
}

/**
 * Sign-ins at a provider that have begun. Each is in a cookie of the browser alone, encrypted, so that any replica finishes
 * it and nobody else learns or chooses what the response is checked against.
 */
export class SignInFlows {
  constructor(
    private readonly cipher: SecretCipher,
    private readonly clock: Clock,
  ) {}

  begin(returnTo: string): SignInFlow {
    return { state: newToken(), nonce: newToken(), codeVerifier: newToken(), returnTo };
  }

  seal(provider: string, flow: SignInFlow): string {
    const expiresAt = this.clock.now().getTime() + FLOW_MS;
    return this.cipher.encrypt(JSON.stringify({ ...flow, expiresAt }), provider);
  }

  /** @throws DomainError `invalid_request` unless this service has sealed it for the provider, in the last ten minutes */
  open(provider: string, sealed: string | null): SignInFlow {
    const text = sealed === null ? null : this.decrypt(sealed, provider);
    if (text !== null) {
      const flow = JSON.parse(text) as SignInFlow & { readonly expiresAt: number };
      if (this.clock.now().getTime() < flow.expiresAt) return flow;
    }
    throw new DomainError(
      'invalid_request',
      'This sign-in was not begun here, or took too long. Begin again.',
    );
  }

  private decrypt(sealed: string, provider: string): string | null {
    try {
      return this.cipher.decrypt(sealed, provider);
    } catch {
      return null; // changed, or begun with another provider
    }
  }
}

/** The providers of the settings, each with the connection to it. */
export class OpenIdProviders {
  /** @param limit of the responses of providers that one client network brings, each of which is sent to a provider */
  constructor(
    readonly all: readonly OpenIdProvider[],
    readonly limit: Pick<SharedLimit, 'use'>,
  ) {}
}

@Injectable()
export class SingleSignOnService extends SingleSignOn {
  readonly providers;

  constructor(
    private readonly openIdProviders: OpenIdProviders,
    private readonly flows: SignInFlows,
    private readonly users: IdentityUsers,
    private readonly sessions: LoginSessions,
    private readonly tokens: TokenIssuer,
    private readonly log: Log,
  ) {
    super();
    this.providers = openIdProviders.all.map(({ settings: { name, label } }) => ({ name, label }));
  }

  async begin(name: string, redirectUri: string, returnTo: string): Promise<BegunSignIn> {
    const provider = this.find(name);
    const flow = this.flows.begin(returnTo);
    const url = await this.logged(name, provider.authorizationUrl(redirectUri, flow));
    return { url, flow: this.flows.seal(name, flow) };
  }

  async finish(
    name: string,
    { redirectUri, query, flow: sealed }: ProviderResponse,
    device: Device,
    consoleIdleSeconds: number,
  ): Promise<FinishedSignIn> {
    const provider = this.find(name);
    const flow = this.flows.open(name, sealed);
    await this.assertNotTooMany(device);
    const response = new URL(`${redirectUri}${query}`);
    const identity = await this.logged(name, provider.identify(response, flow));
    const userId = await this.users.prepare({ provider: provider.settings, identity, device });
    const provided = { provider: name, authenticatedAt: identity.authenticatedAt };
    const open = await this.sessions.openThrough(provided, userId, device, consoleIdleSeconds);
    if (open === null) throw disabledSubject();
    return { tokens: await this.tokens.issue(open), returnTo: flow.returnTo };
  }

  async findSignOutUrl(name: string, returnUrl: string): Promise<string | null> {
    const provider = this.openIdProviders.all.find(({ settings }) => settings.name === name);
    if (provider === undefined) return null;
    return this.logged(name, provider.findSignOutUrl(returnUrl)).catch(() => null);
  }

  private find(name: string): OpenIdProvider {
    const found = this.openIdProviders.all.find(({ settings }) => settings.name === name);
    if (found === undefined) throw new DomainError('not_found', 'There is no such provider.');
    return found;
  }

  /** What a provider does wrong is not shown to the person, but to the operator. */
  private async logged<T>(name: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.log.failure(`The sign-in through ${name} failed`, error);
      throw error;
    }
  }

  /** @throws DomainError `rate_limited` */
  private async assertNotTooMany({ ip }: Device): Promise<void> {
    const waitSeconds = await this.openIdProviders.limit.use(clientNetwork(ip));
    if (waitSeconds !== null) throw rateLimited('Too many sign-ins.', waitSeconds);
  }
}

/** Checks that the providers of single sign-on can be reached. */
export const providersCheck: HealthCheck = {
  name: 'single-sign-on',
  async run({ settings }): Promise<readonly Finding[]> {
    const { providers } = settings.of(singleSignOnSettings);
    return Promise.all(
      providers.map(async (provider) => {
        try {
          await new OpenIdProvider(provider, 0).discover();
          return ok(`The provider ${provider.name} can be reached.`);
        } catch {
          return warning(
            `The provider ${provider.name} does not respond at its issuer, or calls itself something else.`,
            'Allow connections to it in the firewall, and write `issuer` exactly as its `/.well-known/openid-configuration` does.',
          );
        }
      }),
    );
  },
};
