import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Actor, anonymousActor, AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Credential, CredentialsRepository } from '../domain/credential';
import { PasswordHasher } from '../domain/passwords';
import { Principal } from '../domain/principal';
import { SecondFactorCodes } from '../second-factors/second-factor-codes.service';
import { wrongCode } from '../second-factors/second-factor';
import { FailedLogins } from './failed-logins';

/** The current password, or a code of the second factor. */
export type Proof = { readonly password: string } | { readonly otp: string };

type Client = Pick<Principal, 'subjectId' | 'accountId' | 'device'>;

/** Asks the caller of a sensitive change for the current password again, or for a code of the second factor. */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly hasher: PasswordHasher,
    private readonly secondFactors: SecondFactorCodes,
    private readonly failedLogins: FailedLogins,
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Compares the password with that of the user, the account or both that opened the session, or uses the code of the
   * caller's second factor: that of the user of the session, or else of the account.
   * @returns their credentials, in the order in which to lock them
   * @throws DomainError `invalid_credentials` when the password or the code is wrong; `invalid_request` for a code
   * without a second factor; `rate_limited` after too many failures
   */
  async confirm(principal: Principal, proof: Proof): Promise<Credential[]> {
    const credentials =
      'otp' in proof
        ? await this.useCode(principal, proof.otp)
        : await this.comparePassword(principal, principal, collectSubjectIds(principal), proof.password);
    await this.assertAllowed(principal);
    return credentials.toSorted((one, other) => (one.subjectId < other.subjectId ? -1 : 1));
  }

  /**
   * Compares the password of a user or an account for a client without a session.
   * @throws DomainError `invalid_credentials`; `rate_limited` after too many failures
   */
  async confirmPassword(subjectId: string, password: string, device: Device): Promise<void> {
    const client = { subjectId, accountId: null, device };
    await this.comparePassword(client, anonymousActor(device), [subjectId], password);
    await this.assertAllowed(client);
  }

  private async comparePassword(
    client: Client,
    actor: Actor,
    ids: readonly string[],
    password: string,
  ): Promise<Credential[]> {
    const { subjectId, device } = client;
    const matched = await this.hasher.matching(
      password,
      { address: device.ip, owner: subjectId },
      async () => {
        await this.assertAllowed(client);
        return this.repository.findBySubjects(ids);
      },
    );
    if (matched.length === ids.length) return matched;
    await this.failedLogins.count(subjectId, device.ip, [client]);
    await this.recordFailure(client, actor);
    throw wrongPassword();
  }

  /** The transaction commits in any case, so that a wrong code is counted. */
  private async useCode(principal: Principal, code: string): Promise<Credential[]> {
    await this.assertAllowed(principal);
    const result = await this.database.transaction((tx, now) =>
      this.secondFactors.confirm(tx, principal, principal.subjectId, code, now),
    );
    if (result === 'no_factor')
      throw new DomainError('invalid_request', 'You have no second factor. Send current_password, not otp.');
    if (result === 'confirmed') return this.repository.findBySubjects(collectSubjectIds(principal));
    if (result === 'wrong_code')
      await this.failedLogins.count(principal.subjectId, principal.device.ip, [principal]);
    await this.recordFailure(principal, principal);
    throw wrongCode();
  }

  /** @throws DomainError `rate_limited` */
  private async assertAllowed(client: Client): Promise<void> {
    await this.failedLogins.filterAllowed(client.subjectId, client.device.ip, [client]);
  }

  private async recordFailure({ subjectId: objectId, accountId }: Client, actor: Actor): Promise<void> {
    const event = { action: 'reauthenticate', objectId, accountId, outcome: 'failed' } as const;
    await this.database.transaction(async (tx) => this.audit.record(tx, actor, event));
  }
}

export function wrongPassword(): DomainError {
  return new DomainError('invalid_credentials', 'The current password is incorrect.');
}

/** Returns the ids of the user, the account or both that opened the session. */
function collectSubjectIds({ userId, openedAccountId }: Principal): string[] {
  return [userId, openedAccountId].filter((id) => id !== null);
}
