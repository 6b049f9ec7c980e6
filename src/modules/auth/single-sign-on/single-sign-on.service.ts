import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../kernel/client-network';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import type { SharedLimit } from '../../../platform/database/shared-limit';
import { Log } from '../../../platform/telemetry/log';
import { LoginSessions } from '../application/login-sessions';
import { disabledSubject, TokenIssuer } from '../application/logins.service';
import { IdentityUsers } from './identity-users.service';
import { OpenIdProvider } from './openid-provider';
import { SignInFlows } from './sign-in-flows';
import { BegunSignIn, FinishedSignIn, ProviderResponse, SingleSignOn } from './single-sign-on';

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
    if (waitSeconds === null) return;
    throw new DomainError('rate_limited', `Too many sign-ins. Retry in ${waitSeconds} seconds.`, waitSeconds);
  }
}
