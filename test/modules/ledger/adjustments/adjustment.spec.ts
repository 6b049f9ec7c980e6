import { Account } from '../../../../src/modules/accounts/domain/account';
import {
  Adjustment,
  AdjustmentDirection,
  postingDirections,
} from '../../../../src/modules/ledger/adjustments/adjustment';

const noon = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:00:05.000Z');
const failsWith = (code: string) => expect.objectContaining({ code });

function anAccount(status: 'active' | 'suspended' | 'closed' = 'active'): Account {
  const account = Account.create({ email: 'a@example.com', name: 'A', type: 'business' }, noon);
  if (status === 'suspended') account.change({ status }, noon);
  if (status === 'closed') account.close(noon);
  return account;
}

function anAdjustment({
  account = anAccount(),
  direction = 'credit' as AdjustmentDirection,
  currency = 'USD',
  needsApproval = true,
}): Adjustment {
  const terms = { amount: 7, currency, direction, reason: 'As agreed.', reference: null, createdBy: 'usr_1' };
  return Adjustment.create(account, terms, { id: 'adj_1', at: noon }, needsApproval);
}

describe('An adjustment', () => {
  it('moves money into the account or out of it', () => {
    expect(postingDirections).toEqual({ credit: 'in', debit: 'out' });
  });

  it.each([
    [true, 'pending', 'adjustment.created'],
    [false, 'posted', 'adjustment.posted'],
  ])('that needs an approval (%s) is %s at first', (needsApproval, status, type) => {
    const account = anAccount();
    const adjustment = anAdjustment({ account, needsApproval });
    expect(adjustment).toMatchObject({
      id: 'adj_1',
      accountId: account.id,
      amount: 7,
      status,
      approvalId: null,
      createdAt: noon,
      updatedAt: noon,
    });
    expect(adjustment.takeEvents()).toEqual([{ type, accountId: null }]);
    adjustment.awaitApproval('apr_1');
    expect(adjustment.approvalId).toBe('apr_1');
  });

  it('is in the currency of the account', () => {
    expect(() => anAdjustment({ currency: 'EUR' })).toThrow(failsWith('currency_mismatch'));
  });

  it.each([
    ['active', 'credit', true],
    ['active', 'debit', true],
    ['suspended', 'credit', true],
    ['suspended', 'debit', true],
    ['closed', 'credit', false],
    ['closed', 'debit', true],
  ] as const)('of an account that is %s may be a %s: %s', (status, direction, isAllowed) => {
    const create = () => anAdjustment({ account: anAccount(status), direction });
    const pending = anAdjustment({ direction });
    const post = () => pending.post(anAccount(status), later);
    for (const attempt of [create, post])
      if (isAllowed) expect(attempt).not.toThrow();
      else expect(attempt).toThrow(failsWith('forbidden'));
    expect(pending.status).toBe(isAllowed ? 'posted' : 'pending');
  });

  it.each([
    ['posted', (adjustment: Adjustment) => adjustment.post(anAccount(), later)],
    ['rejected', (adjustment: Adjustment) => adjustment.dismiss('reject', later)],
    ['expired', (adjustment: Adjustment) => adjustment.dismiss('expire', later)],
  ])('is %s once', (status, end) => {
    const adjustment = anAdjustment({});
    adjustment.takeEvents();
    end(adjustment);
    expect(adjustment).toMatchObject({ status, updatedAt: later });
    expect(adjustment.takeEvents()).toEqual([{ type: `adjustment.${status}`, accountId: null }]);
    expect(() => end(adjustment)).toThrow(failsWith('conflict'));
  });
});
