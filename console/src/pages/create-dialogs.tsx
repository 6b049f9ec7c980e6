import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccountName } from '../api/account';
import { useBalance } from '../api/balance';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
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
      isReady={terms !== null && /^\S+@\S+$/.test(customer_email) && isExpiry}
      onClose={onClose}
      run={async () => {
        const expiry = expiryText === '' ? {} : { expires_at: new Date(expiryText).toISOString() };
        const body = { ...terms!, customer_email, ...expiry };
        const { id } = await api.post('/v1/payments', { params: { header }, body });
        navigate(pageOf(id)!, { state: CREATED });
      }}
    >
      {amountField}
      <TextField
        label={t.customerEmail}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={emailText}
        onChange={setEmail}
      />
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
