import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';
import type { Column } from '../ui/resource-list';
import { Status } from '../ui/status';

interface Columns {
  readonly amount: Column<{ readonly amount: number; readonly currency: string }>;
  readonly status: Column<{ readonly status: string }>;
  readonly customer: Column<{ readonly customer_email: string }>;
  readonly reference: Column<{ readonly reference?: string | null }>;
  readonly reason: Column<{ readonly reason: string | null }>;
  readonly account: Column<{ readonly account_id: string | null }>;
  readonly created: Column<{ readonly created_at: string }>;
}

/** The columns that several lists have. */
export function useColumns(): Columns {
  const { fields } = useMessages();
  const { money, time } = useFormats();
  return {
    amount: {
      name: 'amount',
      header: fields.amount,
      kind: 'amount',
      cell: ({ amount, currency }) => money(amount, currency),
    },
    status: {
      name: 'status',
      header: fields.status,
      kind: 'status',
      cell: ({ status }) => <Status value={status} />,
    },
    customer: {
      name: 'customer',
      header: fields.customer,
      kind: 'email',
      isMinor: true,
      cell: ({ customer_email }) => customer_email,
    },
    reference: {
      name: 'reference',
      header: fields.reference,
      isMinor: true,
      cell: ({ reference }) => reference,
    },
    reason: { name: 'reason', header: fields.reason, isMinor: true, cell: ({ reason }) => reason },
    account: {
      name: 'account',
      header: fields.account,
      isMinor: true,
      cell: ({ account_id }) => account_id && <IdLink id={account_id} />,
    },
    created: {
      name: 'created',
      header: fields.created,
      kind: 'time',
      cell: ({ created_at }) => time(created_at),
    },
  };
}
