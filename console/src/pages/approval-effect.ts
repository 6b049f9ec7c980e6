import { useAccount } from '../api/account';
import type { Approval } from '../api/approvals';
import { useBalance } from '../api/balance';
import { isAbsent } from '../api/client';
import { useUserOf } from '../api/users';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { changeOf } from './adjustments-table';

/** How an approval shows an adjustment. */
interface AdjustmentDetails {
  readonly amount: number;
  readonly currency: string;
  readonly direction: 'credit' | 'debit';
}

/** The amount of an adjustment with its sign. */
export function useAmountOf(): (approval: Approval) => string | null {
  const { money } = useFormats();
  return ({ type, details }) => {
    if (type !== 'adjustment') return null;
    const { amount, currency, direction } = details as unknown as AdjustmentDetails;
    return money(changeOf({ amount, direction }), currency);
  };
}

/** Says what exactly an approval does, with names and amounts as they are now. @returns null while they are read */
export function useEffectOf(approval: Approval): string | null {
  const { approvals: t, account: accountTexts } = useMessages();
  const { money } = useFormats();
  const { type, object_id, details, status } = approval;
  const account = useAccount(approval.account_id);
  const user = useUserOf(type === 'make_admin' ? object_id : null);
  const { data: balance } = useBalance(approval.account_id ?? undefined);
  if (type === 'make_admin') {
    if (isAbsent(user.error)) return t.effects.gone;
    return user.data ? format(t.effects.make_admin, { name: user.data.name ?? user.data.email }) : null;
  }
  if (account.data === undefined || balance === undefined) return null;
  const { name } = account.data;
  if (type === 'close_account') {
    const effect = format(t.effects.close_account, {
      name,
      balance: money(balance.posted, balance.currency),
    });
    return `${effect} ${accountTexts.closeText}`;
  }
  const { amount, currency, direction } = details as unknown as AdjustmentDetails;
  const effect = format(t.effects[direction], { amount: money(amount, currency), name });
  if (status !== 'pending') return effect;
  const after = balance.posted + changeOf({ amount, direction });
  const amounts = { before: money(balance.posted, currency), after: money(after, currency) };
  return `${effect} ${format(t.balance, amounts)}`;
}
