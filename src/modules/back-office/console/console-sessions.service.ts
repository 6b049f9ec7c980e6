import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { Logins, Tokens } from '../../auth';
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

  /** @throws DomainError `unauthorized` for an invalid refresh token; `forbidden` when the role has changed */
  async refresh(place: Place, refreshToken: string, device: Device): Promise<Tokens> {
    return this.admit(place, await this.logins.refresh(refreshToken, this.settings.idleSeconds), device);
  }

  /** Ends the session of a refresh token. Does nothing for one that is not valid any more, or not of the console. */
  end(refreshToken: string, device: Device): Promise<void> {
    return this.logins.endConsoleSession(refreshToken, device);
  }

  private async admit(place: Place, tokens: Tokens, device: Device): Promise<Tokens> {
    const { admits, denial } = admissions[place];
    if (admits(tokens)) return tokens;
    await this.end(tokens.refreshToken, device);
    throw new DomainError('forbidden', denial);
  }
}
