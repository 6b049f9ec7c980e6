import { Injectable } from '@nestjs/common';
import { signUpNetwork } from '../../../kernel/client-network';
import { anonymousActor, AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { assertOperator, Credentials, isOperator, Principal, SignUpClient, SignUps } from '../../auth';
import { AccountUsers } from '../../users';
import { Account, AccountTerms } from '../domain/account';
import { AccountsRepository } from '../domain/accounts.repository';

type InvitedAccount = Omit<AccountTerms, 'signUpNetwork'>;
/** Without a password, it is invited. */
type NewAccount = InvitedAccount & { readonly password: string | null };

/** Sign-up, and the creation of accounts by operators. */
@Injectable()
export class CreateAccount {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly credentials: Credentials,
    private readonly signUps: SignUps,
    private readonly users: AccountUsers,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Interface 4.3. The account signs in with its own email and password. A caller of role `user` without an account
   * becomes the owner, and its current token acts for the account from then on.
   * @throws DomainError `invalid_request`, `email_exists`, `rate_limited`
   */
  run(
    client: SignUpClient,
    request: NewAccount,
    operation: IdempotentOperation<Account>,
  ): Promise<StoredResponse> {
    const { caller, device } = client;
    const isInvited = request.password === null;
    const signUp = { ...request, kind: 'account' } as const;
    const becomesOwner = caller?.userId && !isOperator(caller) && caller.accountId === null;
    const linking = becomesOwner ? { ...operation, linksTo: ({ id }: Account) => id } : operation;
    return this.signUps.create(signUp, client, linking, async (tx, now, passwordHash) => {
      const network = isOperator(caller) ? null : signUpNetwork(device.ip);
      const account = Account.create({ ...request, signUpNetwork: network }, now);
      const { id } = account;
      const apiVersion = operation.version?.name ?? null;
      this.repository.add(tx, account);
      const credential = {
        subjectId: id,
        kind: 'account',
        email: account.email,
        passwordHash,
        passwordSetByOther: isOperator(caller),
        isInvited,
        accountId: id,
        membershipRole: 'owner',
        role: 'user',
        disabled: false,
        apiVersion,
      } as const;
      this.credentials.create(tx, credential, now);
      if (becomesOwner) await this.users.linkOwner(tx, caller.userId, caller.sessionId, id, apiVersion, now);
      const details = isInvited ? { invited: true } : {};
      const event = { action: 'account.create', objectId: id, accountId: id, details };
      this.audit.record(tx, caller ?? anonymousActor(device), event);
      return account;
    });
  }

  /**
   * Creates an account without a password, and sends a link to set one.
   * @throws DomainError `forbidden` unless the caller is an admin or a platform system; `invalid_request` when the service
   * sends no email; `email_exists`
   */
  async invite(
    caller: Principal,
    device: Device,
    request: InvitedAccount,
    operation: IdempotentOperation<Account>,
  ): Promise<StoredResponse> {
    assertOperator(caller, 'Only admins and platform systems invite accounts.');
    return this.run({ caller, device }, { ...request, password: null }, operation);
  }
}
