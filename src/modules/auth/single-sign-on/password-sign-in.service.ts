import { Inject, Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/database';
import { Credential, CredentialsRepository } from '../domain/credential';
import { isBackOffice } from '../domain/principal';
import { Session } from '../domain/session';
import { IdentitiesRepository } from './identities.repository';
import { singleSignOnSettings, SingleSignOnSettings } from './single-sign-on.settings';

/** Decides who may sign in with a password. */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly credentials: CredentialsRepository,
    @Inject(singleSignOnSettings.token) private readonly settings: SingleSignOnSettings,
  ) {}

  /**
   * Leaves out users whose provider decides about them: where there is an emergency admin, all other admins and support
   * people; and everybody who has signed in through a provider, also in another role since, who could set a password by the
   * link in an email and keep what the provider has taken away.
   */
  async filterAllowed(tx: Tx, credentials: readonly Credential[]): Promise<Credential[]> {
    const { providers, emergencyEmailKey } = this.settings;
    const users = credentials.filter(({ kind }) => kind === 'user');
    if (providers.length === 0 || users.length === 0) return [...credentials];
    const ids = users.map(({ subjectId }) => subjectId);
    const issuers = providers.map(({ issuer }) => issuer);
    const known = await this.identities.findKnown(tx, ids, issuers);
    return credentials.filter((each) => {
      if (each.kind === 'account') return true;
      if (isBackOffice(each) && emergencyEmailKey !== null) return each.emailKey === emergencyEmailKey;
      return !known.includes(each.subjectId);
    });
  }

  /** Whether a session was opened with a password that its user may not sign in with any more. */
  async isWithdrawn(tx: Tx, { provider, userId }: Session): Promise<boolean> {
    if (this.settings.providers.length === 0 || provider !== null || userId === null) return false;
    const found = await this.credentials.findBySubjects([userId], tx);
    return (await this.filterAllowed(tx, found)).length < found.length;
  }
}
