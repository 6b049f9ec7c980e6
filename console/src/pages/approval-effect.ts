import { useAccount, useAccountName } from '../api/account';
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
  readonly login_changes?: Partial<Record<LoginPart, LoginChange>>;
}

const loginParts = ['password', 'email', 'second_factor'] as const;
type LoginPart = (typeof loginParts)[number];
interface LoginChange {
  readonly at: string;
  readonly by: 'self' | 'admin' | 'email_link';
}

/** The person whom an approval makes an admin. */
export function personOf({ type, details }: Approval): PersonDetails {
  return type === 'make_admin' ? details : {};
}

/** How an approval shows money: that of an adjustment has a direction, that of a transaction a type. */
interface MoneyDetails {
  readonly amount: number;
  readonly currency: string;
  readonly direction?: 'credit' | 'debit';
  readonly type?: string;
}

/** The accounts that receive what an approval lets go. */
export function receiversOf({ type, details }: Approval): readonly string[] {
  return type === 'transfer' ? (details as unknown as { readonly to: readonly string[] }).to : [];
}

function moneyOf({ details }: Approval): MoneyDetails | null {
  return 'amount' in details ? (details as unknown as MoneyDetails) : null;
}

/** When each part of the login of a new admin was last changed, and by whom. */
export function useLoginChangesOf(): (approval: Approval) => [label: string, text: string][] {
  const { approvals: t } = useMessages();
  const { time } = useFormats();
  return (approval) => {
    const { login_changes: changes } = personOf(approval);
    if (changes === undefined) return [];
    return loginParts.map((part) => {
      const change = changes[part];
      return [
        t.changed[part],
        change ? `${time(change.at)}, ${textFor(t.changedBy, change.by)}` : t.unchanged,
      ];
    });
  };
}

/** The amount that an approval is about, that of an adjustment with its sign. */
export function useAmountOf(): (approval: Approval) => string | null {
  const { money } = useFormats();
  return (approval) => {
    const about = moneyOf(approval);
    if (about === null) return null;
    const { amount, currency, direction } = about;
    return money(direction === undefined ? amount : changeOf({ amount, direction }), currency);
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
  const { approvals: t, account: accountTexts, transfer: transferTexts, types } = useMessages();
  const { money } = useFormats();
  const { type, object_id, status } = approval;
  const account = useAccount(approval.account_id);
  const user = useUserOf(type === 'make_admin' ? object_id : null);
  const { data: balance } = useBalance(approval.account_id ?? undefined);
  const receivers = receiversOf(approval);
  const receiver = useAccountName(receivers.length === 1 ? receivers[0]! : null);
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
  const { amount, currency, direction, type: kind = '' } = moneyOf(approval)!;
  const values = { amount: money(amount, currency), name };
  if (type === 'transaction') return format(t.effects.transaction, { ...values, type: textFor(types, kind) });
  if (type === 'transfer') {
    const several = format(transferTexts.several, { count: receivers.length });
    const to = receivers.length === 1 ? receiver : several;
    return to === undefined ? null : format(t.effects.transfer, { ...values, to });
  }
  if (direction === undefined) return format(t.effects.settle, values);
  const effect = format(t.effects[direction], values);
  if (status !== 'pending') return effect;
  const after = balance.posted + changeOf({ amount, direction });
  const amounts = { before: money(balance.posted, currency), after: money(after, currency) };
  return `${effect} ${format(t.balance, amounts)}`;
}
