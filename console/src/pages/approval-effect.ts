import { useAccount } from '../api/account';
import type { Approval } from '../api/approvals';
import { useBalance } from '../api/balance';
import { isAbsent } from '../api/client';
import { useUserOf } from '../api/users';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';
import { aboutPerson } from './about';
import { changeOf } from './adjustments-table';

/** The user as of the request to make them an admin; approvals of earlier releases have none of it. */
interface PersonDetails {
  readonly email?: string;
  readonly name?: string | null;
}

/** The person whom an approval makes an admin. */
export function personOf({ type, details }: Approval): PersonDetails {
  return type === 'make_admin' ? details : {};
}

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

/** What dialogs call an approval by: what was asked for, and for whom. */
export function useAboutApproval(approval: Approval): string {
  const { approvals: t } = useMessages();
  const amountOf = useAmountOf();
  const { data: account } = useAccount(approval.account_id);
  const who = account ? aboutPerson(account) : personOf(approval).email;
  return [textFor(t.types, approval.type), amountOf(approval), who].filter(Boolean).join(' · ');
}

/**
 * Says what exactly an approval does: who becomes an admin as of the request, names and amounts of accounts as they are
 * now.
 * @returns null while they are read
 */
export function useEffectOf(approval: Approval): string | null {
  const { approvals: t, account: accountTexts } = useMessages();
  const { money } = useFormats();
  const { type, object_id, details, status } = approval;
  const account = useAccount(approval.account_id);
  const user = useUserOf(type === 'make_admin' ? object_id : null);
  const { data: balance } = useBalance(approval.account_id ?? undefined);
  if (type === 'make_admin') {
    const { email = user.data?.email } = personOf(approval);
    if (isAbsent(user.error) && (status === 'pending' || email === undefined)) return t.effects.gone;
    // The email, because anybody can have any name.
    return email === undefined ? null : format(t.effects.make_admin, { name: email });
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
