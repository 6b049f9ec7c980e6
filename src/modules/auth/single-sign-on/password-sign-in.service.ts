import { Inject, Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { Credential } from '../domain/credential';
import { isBackOffice } from '../domain/principal';
import { IdentitiesRepository } from './identities.repository';
import { singleSignOnSettings, SingleSignOnSettings } from './single-sign-on.settings';

/** Decides who may sign in with a password. */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly identities: IdentitiesRepository,
    @Inject(singleSignOnSettings.token) private readonly settings: SingleSignOnSettings,
  ) {}

  /**
   * Leaves out admins and support people whose provider decides about them: all but the emergency admin, if there is one,
   * and otherwise those who have signed in through a provider, who could set a password by the link in an email and keep
   * their access after the provider has taken it away.
   */
  async filterAllowed(tx: Tx, credentials: readonly Credential[]): Promise<Credential[]> {
    const { providers, emergencyEmailKey } = this.settings;
    const concerned = credentials.filter(isBackOffice);
    if (providers.length === 0 || concerned.length === 0) return [...credentials];
    if (emergencyEmailKey !== null)
      return credentials.filter((each) => !isBackOffice(each) || each.emailKey === emergencyEmailKey);
    const ids = concerned.map(({ subjectId }) => subjectId);
    const known = await this.identities.findKnown(
      tx,
      ids,
      providers.map(({ issuer }) => issuer),
    );
    return credentials.filter(({ subjectId }) => !known.includes(subjectId));
  }
}
