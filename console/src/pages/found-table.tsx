import { type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';
import { Status } from '../ui/status';
import { changeOfBalance } from './about';
import { pageOfFound } from './links';

export type Found = Schemas['FoundResourceResponse'];

/** The members of resources that tell them apart. */
interface Shown {
  readonly name?: string | null;
  readonly email?: string;
  readonly url?: string;
  readonly type?: string;
  readonly action?: string;
  readonly customer_email?: string;
  readonly reference?: string | null;
  readonly amount?: number;
  readonly currency?: string;
  readonly status?: string;
  readonly created_at?: string;
}

interface FoundColumn {
  readonly header: string;
  readonly kind?: string;
  /** Narrow screens leave it out. */
  readonly isMinor?: boolean;
  /** Null where the resource has none. */
  readonly cell: (item: Found) => ReactNode;
}

interface FoundTableProps {
  readonly type: string;
  readonly items: readonly Found[];
}

/** What is found of one type, in columns of what it has. */
export function FoundTable({ type, items }: FoundTableProps) {
  const { search, fields } = useMessages();
  const titleOf = useTitleOf();
  const all = useFoundColumns();
  const columns = all.filter(({ cell }) => items.some((item) => cell(item) !== null));
  const title = textFor(search.types, type);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <table className="list" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{'name' in items[0]!.object ? fields.name : title}</th>
            {columns.map(({ header, kind, isMinor }) => (
              <th key={header} scope="col" data-kind={kind} className={isMinor ? 'minor' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                <Content>{titleOf(item)}</Content>
                <div className="second">{secondOf(item)}</div>
              </td>
              {columns.map(({ header, kind, isMinor, cell }) => (
                <td key={header} data-kind={kind} className={isMinor ? 'minor' : undefined}>
                  <Content>{cell(item)}</Content>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Content({ children }: { readonly children: ReactNode }) {
  return (
    <div className="content" title={typeof children === 'string' ? children : undefined}>
      {children}
    </div>
  );
}

/** What names a resource, as a link to its page. */
function useTitleOf(): (item: Found) => ReactNode {
  const { approvals } = useMessages();
  return (item) => {
    const object = item.object as Shown;
    const { name, email, url, action, reference } = object;
    const subject =
      item.type === 'approval'
        ? textFor(approvals.types, object.type!)
        : item.type === 'event'
          ? object.type
          : null;
    const title = name ?? email ?? url ?? subject ?? action ?? reference ?? item.id;
    const page = pageOfFound(item);
    return page === null ? <strong>{title}</strong> : <Link href={page}>{title}</Link>;
  };
}

/** What narrow screens show beneath the title. */
function secondOf({ object }: Found): string | undefined {
  const { name, email, customer_email } = object as Shown;
  return customer_email ?? (name ? email : undefined);
}

function useFoundColumns(): readonly FoundColumn[] {
  const { fields } = useMessages();
  const { money, time } = useFormats();
  const shown = ({ object }: Found): Shown => object;
  return [
    {
      header: fields.email,
      kind: 'email',
      isMinor: true,
      cell: (item) => (shown(item).name && shown(item).email) || null,
    },
    {
      header: fields.customer,
      kind: 'email',
      isMinor: true,
      cell: (item) => shown(item).customer_email ?? null,
    },
    {
      header: fields.amount,
      kind: 'amount',
      cell: (item) => {
        const { type = '', amount, currency } = shown(item);
        if (amount === undefined || currency === undefined) return null;
        return money(changeOfBalance({ type, amount }), currency);
      },
    },
    {
      header: fields.status,
      kind: 'status',
      cell: (item) => {
        const { status } = shown(item);
        return status === undefined ? null : <Status value={status} />;
      },
    },
    {
      header: fields.account,
      isMinor: true,
      cell: ({ id, account_id }) =>
        account_id === null || account_id === id ? null : <IdLink id={account_id} />,
    },
    {
      header: fields.created,
      kind: 'time',
      isMinor: true,
      cell: (item) => {
        const { created_at } = shown(item);
        return created_at === undefined ? null : time(created_at);
      },
    },
  ];
}
