import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { BegunSignIn, FinishedSignIn, Logins, ProviderResponse, SingleSignOn, Tokens } from '../../auth';
import { PageAddress } from '../../../platform/pages/pages.settings';
import { consoleSettings, ConsoleSettings } from './console.settings';

/** The application is at two places: at `/console` for the back office, at `/dashboard` for the people of one account. */
export type Place = 'console' | 'dashboard';

interface Admission {
  readonly admits: (tokens: Tokens) => boolean;
  readonly denial: string;
}

const admissions: Readonly<Record<Place, Admission>> = {
  console: {
    admits: ({ role }) => role !== 'user',
    denial: 'The console is for the roles admin, platform and support.',
  },
  dashboard: {
    admits: ({ role, accountId }) => role === 'user' && accountId !== null,
    denial: 'The dashboard is for the owner and the members of an account.',
  },
};

/**
 * The sessions of the console and the dashboard. They are only for those whom the place is for, end after a time without
 * activity, and are refreshed there alone.
 */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly logins: Logins,
    private readonly singleSignOn: SingleSignOn,
    private readonly pages: PageAddress,
    @Inject(consoleSettings.token) private readonly settings: ConsoleSettings,
  ) {}

  /** @throws DomainError as a login does; `forbidden` for others, whose session has then ended */
  async open(
    place: Place,
    email: string,
    password: string,
    otp: string | undefined,
    device: Device,
  ): Promise<Tokens> {
    const { idleSeconds } = this.settings;
    return this.admit(place, await this.logins.logIn(email, password, otp, device, idleSeconds), device);
  }

  /** Begins a sign-in through a provider. @throws DomainError like `SingleSignOn.begin` */
  begin(provider: string, returnTo: string): Promise<BegunSignIn> {
    return this.singleSignOn.begin(provider, this.redirectUri(provider), returnTo);
  }

  /** Opens a session with the response of a provider. @throws DomainError like `SingleSignOn.finish` */
  async finish(
    provider: string,
    response: Omit<ProviderResponse, 'redirectUri'>,
    device: Device,
  ): Promise<FinishedSignIn> {
    const complete = { ...response, redirectUri: this.redirectUri(provider) };
    const finished = await this.singleSignOn.finish(provider, complete, device, this.settings.idleSeconds);
    await this.admit('console', finished.tokens, device); // another sign-in may have taken the role meanwhile
    return finished;
  }

  /** @throws DomainError `unauthorized` for an invalid refresh token; `forbidden` when the role has changed */
  async refresh(place: Place, refreshToken: string, device: Device): Promise<Tokens> {
    return this.admit(place, await this.logins.refresh(refreshToken, this.settings.idleSeconds), device);
  }

  /** Ends the session of a refresh token. Does nothing for one that is not valid any more, or not of the console. */
  async end(refreshToken: string, device: Device): Promise<void> {
    await this.logins.endConsoleSession(refreshToken, device);
  }

  /** Like `end`. @returns where the browser signs out of the provider, if it has signed in there; or null */
  async signOut(refreshToken: string, device: Device): Promise<string | null> {
    const provider = await this.logins.endConsoleSession(refreshToken, device);
    return provider === null ? null : this.singleSignOn.findSignOutUrl(provider, this.address('/console/'));
  }

  private redirectUri(provider: string): string {
    return this.address(`/console/session/oidc/${provider}/callback`);
  }

  /** It never depends on the Host header, which a client chooses. */
  private address(path: string): string {
    return this.settings.address === null ? this.pages.to(path) : `${this.settings.address}${path}`;
  }

  private async admit(place: Place, tokens: Tokens, device: Device): Promise<Tokens> {
    const { admits, denial } = admissions[place];
    if (admits(tokens)) return tokens;
    await this.end(tokens.refreshToken, device);
    throw new DomainError('forbidden', denial);
  }
}
