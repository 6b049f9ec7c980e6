import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { AuditTrail } from '../../platform/audit/audit-trail';
import { Tx } from '../../platform/database/database';
import { Principal } from '../auth';
import { Approval, ApprovalKind, Approvals } from '../back-office';
import { sumOf, TransferTerms } from './transfer';
import { TransferProcessing } from './transfer-processing.service';
import { TransfersRepository } from './transfers.repository';

/** Transfers that an admin creates above the limit are pending until a second admin approves them. */
@Injectable()
export class TransferApprovals implements ApprovalKind {
  readonly name = 'transfer';

  constructor(
    private readonly approvals: Approvals,
    private readonly repository: TransfersRepository,
    private readonly processing: TransferProcessing,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Asks for an approval if the caller would move more alone than the limit.
   * @returns its id, or null
   * @throws DomainError `conflict` for a reversal
   */
  async ask(tx: Tx, caller: Principal, terms: TransferTerms, now: Date): Promise<string | null> {
    const { id, from, parts, reversalOf } = terms;
    const amount = sumOf(parts);
    const money = { accountId: from.id, amount };
    if (!(await this.approvals.isLimitExceededByTransaction(tx, caller, money, now))) return null;
    // Until it is approved, a reversal would count money that has not been sent back.
    if (reversalOf !== null)
      throw new DomainError(
        'conflict',
        'The reversal is above the limit of one admin: the account sends it back.',
      );
    const request = {
      type: 'transfer',
      accountId: from.id,
      objectId: id,
      details: { amount, currency: from.currency, to: parts.map(({ accountId }) => accountId) },
      reason: 'A transfer above the limit of one admin.',
    } as const;
    return this.approvals.add(tx, caller, request, now).id;
  }

  /** @throws DomainError `conflict` for a transfer that was canceled; `forbidden` by an account's status */
  async execute(tx: Tx, { accountId, objectId }: Readonly<Approval>, approver: Principal, now: Date) {
    await this.processing.underLocks(tx, objectId, accountId, async (accounts, sides) => {
      this.processing.assertOpen(accounts);
      for (const side of sides) side.approve(now);
      if (sides[0]!.capture === 'now') await this.processing.apply(tx, 'capture', accounts, sides, now);
      else for (const side of sides) this.repository.save(tx, side);
      this.audit.record(tx, approver, { action: 'transfer.approve', objectId, accountId });
    });
    return true;
  }

  /** Cancels the transfer, unless it has ended already. */
  async dismiss(tx: Tx, { accountId, objectId }: Readonly<Approval>, now: Date): Promise<void> {
    await this.processing.underLocks(tx, objectId, accountId, async (accounts, sides) => {
      if (sides[0]!.awaitsApproval) await this.processing.apply(tx, 'cancel', accounts, sides, now);
    });
  }
}
