import { type ReactNode, useState } from 'react';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from './action-dialog';
import { Details } from './details';
import { TextField } from './fields';
import { useDraft } from './use-draft';

interface PartDialogProps<T> {
  readonly title: string;
  readonly about: string;
  readonly text: string;
  /** With the `{amount}`. */
  readonly confirm: string;
  readonly done: string | ((result: T) => string);
  /** The largest amount, with which the field begins, in minor units. */
  readonly left: number;
  readonly currency: string;
  readonly rows: Parameters<typeof Details>[0]['rows'];
  /** @param key the same for the same amount: pressed twice, it happens once */
  readonly run: (amount: number, key: string) => Promise<T>;
  readonly onClose: () => void;
  /** Its drafts end with the dialog. */
  readonly form: string;
  readonly children?: ReactNode;
  /** What follows the amount, and whether it is complete. */
  readonly more?: { readonly isComplete: boolean; readonly content: ReactNode };
}

/** What the draft of an amount says that nobody has typed. */
const ALL = 'all';

/** An action with money: all that is left, or a part of it. */
export function PartDialog<T>(props: PartDialogProps<T>) {
  const { left, currency, rows, run, children, more, ...shown } = props;
  const { refund: t } = useMessages().transaction;
  const { money, parseAmount, typedAmount } = useFormats();
  const [typed, setTyped] = useDraft(shown.form, 'amount', ALL as string);
  const [key] = useState(() => crypto.randomUUID());
  const text = typed === ALL ? typedAmount(left, currency) : typed;
  const amount = parseAmount(text, currency);
  const isAmount = amount !== null && amount >= 1 && amount <= left;
  const range = { min: money(1, currency), max: money(left, currency) };
  return (
    <ActionDialog
      {...shown}
      confirm={isAmount ? format(shown.confirm, { amount: money(amount, currency) }) : shown.title}
      isReady={isAmount && (more?.isComplete ?? true)}
      run={() => run(amount!, `${key}-${amount}`)}
    >
      {children}
      <Details rows={rows} />
      <TextField
        label={format(t.amount, { currency })}
        inputMode="decimal"
        autoFocus
        value={text}
        onChange={setTyped}
        hint={isAmount ? undefined : format(t.invalid, range)}
      />
      {more?.content}
    </ActionDialog>
  );
}
