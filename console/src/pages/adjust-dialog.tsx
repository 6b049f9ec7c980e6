import { useState } from 'react';
import { useBalance } from '../api/balance';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { ReasonField, SelectField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { changeOf } from './adjustments-table';

type Direction = Schemas['AdjustmentDirection'];

interface AdjustDialogProps {
  readonly accountId: string;
  /** The account, once it is known. */
  readonly about: string | undefined;
  readonly currency: string;
  readonly directions?: readonly Direction[];
  /** What an adjustment that undoes another one begins with, in minor units. */
  readonly amount?: number;
  readonly text: string;
  readonly onClose: () => void;
}

/** Corrects the balance of an account. It says before what the balance will be. */
export function AdjustDialog({
  accountId,
  about,
  currency,
  directions = ['credit', 'debit'],
  text,
  onClose,
  ...initial
}: AdjustDialogProps) {
  const { adjustments: t } = useMessages();
  const { money, parseAmount, typedAmount } = useFormats();
  const [key] = useState(() => crypto.randomUUID()); // pressed twice, it is still one adjustment
  const form = `adjust:${accountId}:${initial.amount ?? ''}`;
  const [chosen, setDirection] = useDraft<Direction>(form, 'direction', directions[0]);
  const direction = directions.find((one) => one === chosen) ?? directions[0]!;
  const [amountText, setAmount] = useDraft(
    form,
    'amount',
    initial.amount === undefined ? '' : typedAmount(initial.amount, currency),
  );
  const [reasonText, setReason] = useDraft(form, 'reason');
  const [referenceText, setReference] = useDraft(form, 'reference');
  const amount = parseAmount(amountText, currency) ?? 0;
  const reason = reasonText.trim();
  const reference = referenceText.trim() || null;
  const { data: balance } = useBalance(accountId);
  const isCovered = direction === 'credit' || amount <= (balance?.available ?? 0);
  const change = changeOf({ amount, direction });
  const hint = (): string | undefined => {
    if (balance === undefined) return undefined;
    if (amount < 1) return format(t.invalid, { min: money(1, currency) });
    if (!isCovered) return format(t.tooMuch, { available: money(balance.available ?? 0, currency) });
    const { posted } = balance;
    return format(t.balance, { before: money(posted, currency), after: money(posted + change, currency) });
  };
  const isPossible = balance !== undefined && amount >= 1 && isCovered;
  return (
    <ActionDialog
      title={t.adjust}
      about={about}
      text={text}
      confirm={isPossible ? format(t.confirm, { amount: money(change, currency) }) : t.adjust}
      done={({ status }) => (status === 'pending' ? t.waits : t.posted)}
      isReady={isPossible && reason !== ''}
      form={form}
      onClose={onClose}
      run={() =>
        api.post('/v1/accounts/{account_id}/adjustments', {
          params: { path: { account_id: accountId }, header: { 'Idempotency-Key': key } },
          body: { amount, currency, direction, reason, reference },
        })
      }
    >
      <SelectField
        label={t.direction}
        value={direction}
        onChange={(value) => setDirection(value as Direction)}
        options={directions.map((one) => [one, t.directions[one]])}
      />
      <TextField
        label={format(t.amount, { currency })}
        inputMode="decimal"
        autoFocus
        value={amountText}
        onChange={setAmount}
        hint={hint()}
      />
      <ReasonField autoFocus={false} value={reasonText} onChange={setReason} />
      <TextField label={t.reference} maxLength={255} value={referenceText} onChange={setReference} />
    </ActionDialog>
  );
}
