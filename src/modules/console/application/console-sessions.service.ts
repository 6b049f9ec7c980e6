import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { Logins, Role, Sessions, Tokens } from '../../auth';

/** The roles that see all accounts, which is what the console shows. */
const ADMITTED: readonly Role[] = ['admin', 'platform', 'support'];

/** The sessions of the console. They are those of the API, but only for roles that see all accounts. */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly logins: Logins,
    private readonly sessions: Sessions,
  ) {}

  /** @throws DomainError as a login does; `forbidden` for other roles, whose session has then ended */
  async open(email: string, password: string, otp: string | undefined, device: Device): Promise<Tokens> {
    return this.admit(await this.logins.logIn(email, password, otp, device), device);
  }

  /** @throws DomainError `unauthorized` for an invalid refresh token; `forbidden` when the role has changed */
  async refresh(refreshToken: string, device: Device): Promise<Tokens> {
    return this.admit(await this.logins.refresh(refreshToken), device);
  }

  /** Ends the session of a refresh token. Does nothing for a token that is not valid any more. */
  end(refreshToken: string, device: Device): Promise<void> {
    return this.sessions.endByRefreshToken(refreshToken, device);
  }

  private async admit(tokens: Tokens, device: Device): Promise<Tokens> {
    if (ADMITTED.includes(tokens.role)) return tokens;
    await this.end(tokens.refreshToken, device);
    throw new DomainError('forbidden', 'The console is for the roles admin, platform and support.');
  }
}
