import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccountName } from '../api/account';
import { useBalance } from '../api/balance';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { AccountField } from '../ui/account-field';
import { ActionDialog } from '../ui/action-dialog';
import { EmailField, isEmail } from '../ui/email-field';
import { SelectField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { pageOf } from './links';

interface CreateProps {
  readonly accountId: string;
  readonly onClose: () => void;
}

/** The amount, in the currency of the account, and the reference of what is created. */
function useTerms(form: string, accountId: string) {
  const { adjustments: t, fields } = useMessages();
  const { money, parseAmount } = useFormats();
  const [key] = useState(() => crypto.randomUUID()); // pressed twice, it is still one
  const [amountText, setAmount] = useDraft(form, 'amount');
  const [referenceText, setReference] = useDraft(form, 'reference');
  const about = useAccountName(accountId);
  const { data: { currency } = {} } = useBalance(accountId);
  const amount = currency === undefined ? null : parseAmount(amountText, currency);
  const isAmount = amount !== null && amount >= 1;
  const invalid = currency && !isAmount ? format(t.invalid, { min: money(1, currency) }) : undefined;
  return {
    about,
    /** Null until the amount is there. */
    terms: isAmount
      ? { account_id: accountId, amount, currency: currency!, reference: referenceText.trim() || null }
      : null,
    header: { 'Idempotency-Key': key },
    amountField: (
      <TextField
        label={currency === undefined ? fields.amount : format(t.amount, { currency })}
        inputMode="decimal"
        autoFocus
        value={amountText}
        onChange={setAmount}
        {...(invalid !== undefined && (amountText === '' ? { hint: invalid } : { problem: invalid }))}
      />
    ),
    referenceField: (
      <TextField label={t.reference} maxLength={255} value={referenceText} onChange={setReference} />
    ),
  };
}

/** The state of the browser's history at a page of what was created just now. */
export const CREATED = 'created';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Asks a customer for money. The page of the request, which opens then, has the link to pay. */
export function CreatePaymentDialog({ accountId, onClose }: CreateProps) {
  const { create: t } = useMessages();
  const [, navigate] = useLocation();
  const form = `payment:${accountId}`;
  const { about, terms, header, amountField, referenceField } = useTerms(form, accountId);
  const [emailText, setEmail] = useDraft(form, 'email');
  const [expiryText, setExpiry] = useDraft(form, 'expiry');
  const customer_email = emailText.trim();
  const left = Date.parse(expiryText) - Date.now();
  const isExpiry = expiryText === '' || (left > 0 && left < YEAR_MS);
  return (
    <ActionDialog
      title={t.payment}
      about={about}
      text={t.paymentText}
      confirm={t.payment}
      done={t.paymentDone}
      form={form}
      isReady={terms !== null && isEmail(customer_email) && isExpiry}
      onClose={onClose}
      run={async () => {
        const expiry = expiryText === '' ? {} : { expires_at: new Date(expiryText).toISOString() };
        const body = { ...terms!, customer_email, ...expiry };
        const { id } = await api.post('/v1/payments', { params: { header }, body });
        navigate(pageOf(id)!, { state: CREATED });
      }}
    >
      {amountField}
      <EmailField label={t.customerEmail} value={emailText} onChange={setEmail} />
      {referenceField}
      <TextField
        label={t.expires}
        type="datetime-local"
        hint={t.expiresHint}
        value={expiryText}
        onChange={setExpiry}
        {...(!isExpiry && { problem: t.expiresProblem })}
      />
    </ActionDialog>
  );
}

/** Books a payment, a credit or a refund. Above the limit of the operator it waits for a second admin. */
export function CreateTransactionDialog({ accountId, onClose }: CreateProps) {
  const { create: t, approvals, fields, types } = useMessages();
  const [, navigate] = useLocation();
  const form = `transaction:${accountId}`;
  const { about, terms, header, amountField, referenceField } = useTerms(form, accountId);
  const [type, setType] = useDraft<Schemas['TransactionType']>(form, 'type', 'payment');
  const { payment, credit, refund } = types;
  return (
    <ActionDialog
      title={t.transaction}
      about={about}
      text={t.transactionText}
      confirm={t.transaction}
      done={({ approval_id }) => (approval_id === undefined ? t.transactionDone : approvals.asked)}
      form={form}
      isReady={terms !== null}
      onClose={onClose}
      run={async () => {
        const body = { ...terms!, type };
        const made = await api.post('/v1/transactions', { params: { header }, body });
        navigate(pageOf(made.id)!);
        return made;
      }}
    >
      <SelectField
        label={fields.type}
        value={type}
        onChange={(value) => setType(value as typeof type)}
        options={Object.entries({ payment, credit, refund })}
      />
      {amountField}
      {referenceField}
    </ActionDialog>
  );
}

/** Moves money to another account at once. Above the limit of the operator it waits for a second admin. */
export function CreateTransferDialog({ accountId, onClose }: CreateProps) {
  const { approvals, dashboard, fields } = useMessages();
  const t = dashboard.transfer;
  const [, navigate] = useLocation();
  const form = `transfer:${accountId}`;
  const { about, terms, header, amountField, referenceField } = useTerms(form, accountId);
  const [receiverText, setReceiver] = useDraft(form, 'receiver');
  const receiver = receiverText.trim();
  return (
    <ActionDialog
      title={t.create}
      about={about}
      text={t.text}
      confirm={t.create}
      done={({ approval_id }) => (approval_id === undefined ? t.done : approvals.asked)}
      form={form}
      isReady={terms !== null && receiver.startsWith('acc_')}
      onClose={onClose}
      run={async () => {
        const { account_id: from_account_id, ...others } = terms!;
        const body = { from_account_id, to_account_id: receiver, ...others };
        const made = await api.post('/v1/transfers', { params: { header }, body });
        navigate(pageOf(made.id)!);
        return made;
      }}
    >
      {amountField}
      {isDashboard ? (
        <TextField
          label={t.to}
          hint={t.toHint}
          autoComplete="off"
          value={receiverText}
          onChange={setReceiver}
          {...(receiver !== '' && !receiver.startsWith('acc_') && { problem: t.toHint })}
        />
      ) : (
        <AccountField label={fields.receiver} value={receiver} onChange={setReceiver} />
      )}
      {referenceField}
    </ActionDialog>
  );
}

/** Bills a customer again and again. */
export function CreateSubscriptionDialog({ accountId, onClose }: CreateProps) {
  const { create, dashboard, fields, subscription } = useMessages();
  const t = dashboard.subscription;
  const [, navigate] = useLocation();
  const form = `subscription:${accountId}`;
  const { about, terms, header, amountField, referenceField } = useTerms(form, accountId);
  const [emailText, setEmail] = useDraft(form, 'email');
  const [interval, setInterval] = useDraft<Schemas['Interval']>(form, 'interval', 'month');
  const customer_email = emailText.trim();
  return (
    <ActionDialog
      title={t.create}
      about={about}
      text={t.text}
      confirm={t.create}
      done={t.done}
      form={form}
      isReady={terms !== null && isEmail(customer_email)}
      onClose={onClose}
      run={async () => {
        const body = { ...terms!, customer_email, interval };
        const { id } = await api.post('/v1/subscriptions', { params: { header }, body });
        navigate(pageOf(id)!);
      }}
    >
      {amountField}
      <EmailField label={create.customerEmail} value={emailText} onChange={setEmail} />
      <SelectField
        label={fields.interval}
        value={interval}
        onChange={(value) => setInterval(value as typeof interval)}
        options={Object.entries(subscription.intervals)}
      />
      {referenceField}
    </ActionDialog>
  );
}
