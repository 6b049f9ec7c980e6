import { readEntries } from '../api/account';
import type { Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';
import { useBalance } from '../api/balance';
import { BalanceChart } from '../ui/balance-chart';
import { Filters, useFilters } from '../ui/filters';
import { IdLink } from '../ui/id-link';
import { type ListSource, ResourceList, useListPages } from '../ui/resource-list';
import { dateFilters, dayBefore, monthsBetween, type Period, periodOf } from './date-filters';
import { pageOf } from './links';

type Entry = Schemas['EntryResponse'];

/** The period in the address: a month, or days. */
export function useEntriesPeriod(): Period {
  const { month = '', ...days } = useFilters(['month', 'date_from', 'date_to']);
  return isMonth(month) ? periodOf(month) : days;
}

const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** The entries of the period in the address. */
export function useEntries(accountId: string): ListSource<Entry> {
  const period = useEntriesPeriod();
  return {
    queryKey: ['entries', accountId, period],
    load: cursorPages((page, signal) => readEntries(accountId, { ...period, ...page }, signal)),
  };
}

interface AccountEntriesProps {
  readonly accountId: string;
  /** When the account was created: the months begin then. */
  readonly since: string;
}

/**
 * The journal of an account with the balance after each entry, the latest of it as a chart, and the balances before and
 * after a period.
 */
export function AccountEntries({ accountId, since }: AccountEntriesProps) {
  const { fields, account, types, search, list } = useMessages();
  const { money, month: nameOf, number: numberText, time } = useFormats();
  const { month = '' } = useFilters(['month']);
  const period = useEntriesPeriod();
  const months = [...new Set([...monthsBetween(since, new Date()), ...(isMonth(month) ? [month] : [])])];
  const typeOf = ({ type }: Entry) => type && textFor({ ...search.types, ...types }, type);
  const entries = useEntries(accountId);
  const { data } = useListPages(entries);
  return (
    <>
      <Filters
        filters={[
          {
            name: 'month',
            label: account.month,
            options: Object.fromEntries(months.map((each) => [each, nameOf(each)])),
          },
          ...(isMonth(month) ? [] : dateFilters({ list }, period, ['date_from', 'date_to'])),
        ]}
      />
      <PeriodBalances accountId={accountId} period={period} />
      <BalanceChart entries={data?.pages[0]?.items ?? []} />
      <ResourceList<Entry>
        label={account.entries}
        {...entries}
        hasFilters={Object.keys(period).length > 0}
        keyOf={({ number }) => String(number)}
        linkOf={({ transaction_id }) => pageOf(transaction_id)}
        secondOf={(entry) => [typeOf(entry), entry.counterparty, entry.reference].filter(Boolean).join(' · ')}
        columns={[
          {
            name: 'number',
            header: fields.number,
            kind: 'number',
            // Each posting has two entries, of which the list has that of the account: people count postings.
            cell: ({ number }) => numberText((number + 1) / 2),
          },
          {
            name: 'amount',
            header: fields.amount,
            kind: 'amount',
            cell: ({ amount, currency }) => money(amount, currency),
          },
          {
            name: 'balance',
            header: fields.balance,
            kind: 'amount',
            cell: ({ balance, currency }) => money(balance, currency),
          },
          { name: 'type', header: fields.type, kind: 'word', isMinor: true, cell: typeOf },
          {
            name: 'reference',
            header: fields.reference,
            isMinor: true,
            wraps: true,
            cell: ({ reference, transaction_id }) => reference ?? <IdLink id={transaction_id} />,
          },
          {
            name: 'counterparty',
            header: fields.counterparty,
            isMinor: true,
            cell: ({ counterparty }) => counterparty,
          },
          {
            name: 'date',
            header: fields.date,
            kind: 'time',
            cell: ({ posted_at }) => time(posted_at),
          },
        ]}
      />
    </>
  );
}

interface PeriodBalancesProps {
  readonly accountId: string;
  readonly period: Period;
}

/** The balances at the beginning and at the end of a period, between which its entries stand. */
function PeriodBalances({ accountId, period: { date_from: from, date_to: to } }: PeriodBalancesProps) {
  const { account } = useMessages();
  const { day, money } = useFormats();
  const before = from === undefined ? undefined : dayBefore(from);
  const last = to !== undefined && dayBefore(to) !== undefined ? to : undefined;
  const opening = useBalance(before === undefined ? undefined : accountId, before).data;
  const closing = useBalance(last === undefined ? undefined : accountId, last).data;
  if (before === undefined && last === undefined) return null;
  const figures = [
    ...(before === undefined ? [] : [[format(account.opening, { day: day(from!) }), opening] as const]),
    ...(last === undefined ? [] : [[format(account.closing, { day: day(last) }), closing] as const]),
  ];
  return (
    <dl className="figures">
      {figures.map(([name, balance]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{balance ? money(balance.posted, balance.currency) : '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
