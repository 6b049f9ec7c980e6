import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { ApiVersion, ApiVersions } from '../../../platform/versions/api-versions';
import { Credentials } from '../domain/credentials';
import { owns, Principal } from '../domain/principal';
import { SignInSubjects } from '../domain/sign-in-subjects';

/** The versions of the API to which accounts are pinned. API keys and webhook endpoints have their own. */
@Injectable()
export class PinnedVersions {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly subjects: SignInSubjects,
    private readonly versions: ApiVersions,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns the version to which the caller is pinned. @throws DomainError `forbidden` without an account */
  read({ accountId, pinnedVersion }: Principal): ApiVersion {
    if (accountId === null) throw noAccount();
    return this.versions.pinned(pinnedVersion);
  }

  /**
   * Pins the caller's account to a version, from the next request of all of its sessions on.
   * @throws DomainError `invalid_request` for an unknown version; `forbidden` for callers other than the owner, and while
   * the account is suspended
   */
  async change(caller: Principal, name: string): Promise<ApiVersion> {
    const { accountId } = caller;
    if (accountId === null) throw noAccount();
    if (!owns(caller, accountId))
      throw new DomainError('forbidden', 'Only the owner of an account can change its version.');
    const version = this.versions.parse(name, 'version');
    await this.database.transaction(async (tx) => {
      await this.subjects.get('account').assertNotSuspended(tx, { subjectId: accountId, accountId });
      const from = await this.credentials.pin(tx, accountId, name);
      if (from === name) return;
      const changes = [{ member: 'version', from, to: name }];
      const event = { action: 'account.set_version', objectId: accountId, accountId, changes };
      this.audit.record(tx, caller, event);
    });
    return version;
  }
}

function noAccount(): DomainError {
  return new DomainError('forbidden', 'This token belongs to no account. Its requests name their version.');
}
