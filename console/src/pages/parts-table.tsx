import { useId } from 'react';
import type { Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';

interface Part {
  readonly account_id: string;
  readonly account_name?: string;
  readonly amount: number;
}

interface PartsTableProps<P> {
  readonly title: string;
  readonly parts: readonly P[];
  readonly currency: string;
  readonly note: { readonly header: string; readonly of: (part: P) => string | null };
}

/** What each of several accounts receives. */
export function PartsTable<P extends Part>({ title, parts, currency, note }: PartsTableProps<P>) {
  const { fields } = useMessages();
  const { money } = useFormats();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <table className="list" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{fields.receiver}</th>
            <th scope="col">{note.header}</th>
            <th scope="col" data-kind="amount">
              {fields.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.account_id}>
              <td>
                <div className="content">
                  <IdLink
                    id={part.account_id}
                    {...(part.account_name !== undefined && { name: part.account_name })}
                  />
                </div>
              </td>
              <td>
                <div className="content">{note.of(part)}</div>
              </td>
              <td data-kind="amount">{money(part.amount, currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type SplitsProps = Pick<Schemas['SubscriptionResponse'], 'splits' | 'currency'>;

/** The parts of a payment that go to other accounts, where there are some. */
export function Splits({ splits = [], currency }: SplitsProps) {
  const { payment: t } = useMessages();
  const { number } = useFormats();
  if (splits.length === 0) return null;
  return (
    <PartsTable
      title={t.splits}
      parts={splits}
      currency={currency}
      note={{
        header: t.percent,
        of: ({ percent, skipped }) =>
          [percent !== undefined && number(percent), skipped && t.stayed].filter(Boolean).join(' · '),
      }}
    />
  );
}
