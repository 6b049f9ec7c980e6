import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWaitingApprovals } from '../api/approvals';
import { useBalance } from '../api/balance';
import { api } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useOwnAccountId } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { SelectField } from '../ui/fields';
import { PartDialog } from '../ui/part-dialog';
import { useAboutSum } from './about';
import { useCancelAction } from './cancel-action';
import type { Transfer } from './transfers-table';

interface TransferProps {
  readonly transfer: Transfer;
}
interface DialogProps extends TransferProps {
  readonly onClose: () => void;
}

const pathOf = ({ id }: Transfer) => ({ path: { transfer_id: id } });

/** Captures or cancels a pending transfer, as the account that gives; sends back what one has moved, as one that received. */
export function TransferActions({ transfer }: TransferProps) {
  const { transaction, transfer: t } = useMessages();
  const { operate } = useMayAct();
  const about = useAboutSum()(transfer);
  const waits = useWaitingApprovals()?.some(({ object_id }) => object_id === transfer.id);
  const cancel = useCancelAction({ about, text: transaction.cancel.text, done: t.canceled }, () =>
    api.delete('/v1/transfers/{transfer_id}', { params: pathOf(transfer) }),
  );
  const own = useOwnAccountId();
  const gives = own === null || own === transfer.from_account_id;
  const receives = own === null || transfer.to.some(({ account_id }) => account_id === own);
  if (transfer.status === 'pending' && gives)
    return (
      <Actions
        actions={[
          {
            name: 'capture',
            label: t.capture.action,
            ...operate,
            ...(operate.isAllowed && { isAllowed: !waits, denial: t.waits }),
            dialog: (close) => <CaptureDialog transfer={transfer} onClose={close} />,
          },
          cancel,
        ]}
      />
    );
  if (transfer.status !== 'succeeded' || transfer.reversal_of !== undefined || !receives) return null;
  const isLeft = (transfer.reversed_amount ?? 0) < transfer.amount;
  return (
    <Actions
      actions={[
        {
          name: 'reverse',
          label: t.reverse.action,
          ...operate,
          ...(operate.isAllowed && { isAllowed: isLeft, denial: t.reverse.nothingLeft }),
          dialog: (close) => <ReverseDialog transfer={transfer} onClose={close} />,
        },
      ]}
    />
  );
}

/** Captures all, or a part where one account receives it. */
function CaptureDialog({ transfer, onClose }: DialogProps) {
  const { account, transfer: t } = useMessages();
  const { money } = useFormats();
  const about = useAboutSum()(transfer);
  const { amount, currency, to, from_account_name: from } = transfer;
  const several = format(t.several, { count: to.length });
  const shown = { title: t.capture.action, about, done: t.capture.done, onClose };
  const capture = (part?: number) =>
    api.post('/v1/transfers/{transfer_id}/capture', {
      params: pathOf(transfer),
      body: part === undefined ? {} : { amount: part },
    });
  if (to.length > 1) {
    const values = { amount: money(amount, currency), from, to: several };
    return (
      <ActionDialog
        {...shown}
        text={format(t.capture.whole, values)}
        confirm={format(t.capture.confirm, values)}
        run={() => capture()}
      />
    );
  }
  return (
    <PartDialog
      {...shown}
      form={`capture:${transfer.id}`}
      text={format(t.capture.text, { from, to: to[0]!.account_name })}
      confirm={t.capture.confirm}
      left={amount}
      currency={currency}
      rows={[[account.held, money(amount, currency)]]}
      run={capture}
    />
  );
}

/** Sends back all that is left of what one account has received, or a part. */
function ReverseDialog({ transfer, onClose }: DialogProps) {
  const { account, transfer: t } = useMessages();
  const { money } = useFormats();
  const about = useAboutSum()(transfer);
  const { id, currency, to, from_account_name: giver } = transfer;
  const [receiver, setReceiver] = useState(to[0]!.account_id);
  const { account_name: name, amount } = to.find(({ account_id }) => account_id === receiver)!;
  const { data: balance } = useBalance(receiver);
  // The account that gives sees only the sum of what all have sent back.
  const { data: reversals } = useQuery({
    queryKey: ['transfers', 'reversals', id, receiver],
    queryFn: ({ signal }) =>
      api.get('/v1/transfers', {
        params: { query: { reversal_of: id, account_id: receiver, direction: 'out', limit: 100 } },
        signal,
      }),
  });
  const reversed = (reversals?.data ?? []).reduce((sum, reversal) => sum + reversal.amount, 0);
  const left = amount - reversed;
  return (
    <PartDialog
      title={t.reverse.action}
      about={about}
      form={`reverse:${id}`}
      text={format(t.reverse.text, { from: name, to: giver })}
      confirm={t.reverse.confirm}
      done={t.reverse.done}
      left={left}
      currency={currency}
      rows={[
        [t.received, money(amount, currency)],
        [t.reversed, money(reversed, currency)],
        [t.left, money(left, currency)],
        [account.available, balance && money(balance.available ?? 0, currency)],
      ]}
      onClose={onClose}
      run={(part, key) =>
        api.post('/v1/transfers/{transfer_id}/reversal', {
          params: { ...pathOf(transfer), header: { 'Idempotency-Key': `${key}-${receiver}` } },
          body: { account_id: receiver, amount: part },
        })
      }
    >
      {to.length > 1 && (
        <SelectField
          label={t.reverse.account}
          value={receiver}
          onChange={setReceiver}
          options={to.map((part) => [part.account_id, part.account_name])}
        />
      )}
    </PartDialog>
  );
}
