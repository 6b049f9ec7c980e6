import { useFormats } from '../i18n/formats';

/** What dialogs call an account or a user by. */
export function aboutPerson({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string;
}): string {
  return [name, email].filter(Boolean).join(' · ');
}

/** The status of a user as people call it: one who was invited is active, but cannot sign in yet. */
export const statusOf = ({
  status,
  invited,
}: {
  readonly status: string;
  readonly invited?: boolean;
}): string => (invited && status === 'active' ? 'invited' : status);

interface Sum {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference?: string | null;
  readonly customer_email?: string;
}

/** Returns what dialogs call a transaction, a payment request or something like it by. */
export function useAboutSum(): (sum: Sum) => string {
  const { money } = useFormats();
  return ({ id, amount, currency, reference, customer_email }) =>
    [money(amount, currency), reference ?? id, customer_email].filter(Boolean).join(' · ');
}

interface Booked {
  readonly type?: string;
  readonly amount: number;
}

/** What a transaction does to the balance of its account, in minor units: a refund takes from it. */
export const changeOfBalance = ({ type, amount }: Booked): number => (type === 'refund' ? -amount : amount);
