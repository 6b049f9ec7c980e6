import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { Logins, Role, Tokens } from '../../auth';
import { consoleSettings, ConsoleSettings } from './console.settings';

/** The roles that see all accounts, which is what the console shows. */
const ADMITTED: readonly Role[] = ['admin', 'platform', 'support'];

/**
 * The sessions of the console. They are only for roles that see all accounts, end after a time without activity, and are
 * refreshed here alone.
 */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly logins: Logins,
    @Inject(consoleSettings.token) private readonly settings: ConsoleSettings,
  ) {}

  /** @throws DomainError as a login does; `forbidden` for other roles, whose session has then ended */
  async open(email: string, password: string, otp: string | undefined, device: Device): Promise<Tokens> {
    const { idleSeconds } = this.settings;
    return this.admit(await this.logins.logIn(email, password, otp, device, idleSeconds), device);
  }

  /** @throws DomainError `unauthorized` for an invalid refresh token; `forbidden` when the role has changed */
  async refresh(refreshToken: string, device: Device): Promise<Tokens> {
    return this.admit(await this.logins.refresh(refreshToken, this.settings.idleSeconds), device);
  }

  /** Ends the session of a refresh token. Does nothing for one that is not valid any more, or not of the console. */
  end(refreshToken: string, device: Device): Promise<void> {
    return this.logins.endConsoleSession(refreshToken, device);
  }

  private async admit(tokens: Tokens, device: Device): Promise<Tokens> {
    if (ADMITTED.includes(tokens.role)) return tokens;
    await this.end(tokens.refreshToken, device);
    throw new DomainError('forbidden', 'The console is for the roles admin, platform and support.');
  }
}
