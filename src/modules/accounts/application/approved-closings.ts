import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Tx } from '../../../platform/database/tx';
import { Principal } from '../../auth';
import { Approval, ApprovalKind } from '../../back-office';
import { noSuchAccount } from '../domain/account-store';
import { AccountsRepository } from '../domain/accounts.repository';
import { AccountClosings } from './account-closings.service';

/** Closes an account once a second admin has approved it. */
@Injectable()
export class ApprovedClosings implements ApprovalKind {
  readonly name = 'close_account';

  constructor(
    private readonly repository: AccountsRepository,
    private readonly closings: AccountClosings,
  ) {}

  /** @throws DomainError `not_found`; `conflict` for an account that is closed already */
  async prepare(tx: Tx, id: string) {
    const account = await this.repository.lock(tx, id);
    if (account === null) throw noSuchAccount('not_found');
    if (account.status === 'closed') throw new DomainError('conflict', 'The account is closed already.');
    return { accountId: id, details: {} };
  }

  async execute(tx: Tx, { objectId, reason }: Readonly<Approval>, approver: Principal, now: Date) {
    return (await this.closings.closeOrCancelPart(tx, approver, objectId, reason, now)) !== null;
  }
}
