import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';
import { useOldestFirst } from '../ui/list-order';
import { useColumns } from './columns';
import { pageOf } from './links';
import { ResolveDialog, resolutionsOf } from './unapplied-actions';

type UnappliedPayment = Schemas['UnappliedPaymentResponse'];

const names = ['status', 'account_id'] as const;

/** Payments that arrived for a request which could not take them. */
export default function UnappliedPage() {
  const { unapplied, fields, statuses } = useMessages();
  const shared = useColumns();
  const oldest = useOldestFirst('unp');
  const { money } = useFormats();
  const { isAllowed, denial } = useMayAct().operate;
  const [chosen, setChosen] = useState<UnappliedPayment | null>(null);
  const filter = useFilters(names);
  const reasonOf = ({ reason }: UnappliedPayment) => textFor(unapplied.reasons, reason);
  const { received, returned, needs_attention } = statuses;
  const query = filter as {
    account_id?: string;
    status?: Schemas['UnappliedPaymentStatus'];
  };
  return (
    <Page
      title={unapplied.title}
      aside={
        <ExportButton
          name="unapplied-payments"
          save={(file) => downloadList('/v1/unapplied-payments', filter, file)}
        />
      }
    >
      <Filters
        savedAs="unapplied"
        filters={[
          {
            name: 'status',
            label: fields.status,
            options: { needs_attention, received, returned },
          },
          { name: 'account_id', label: fields.account, type: 'account' },
        ]}
      />
      <ResourceList<UnappliedPayment>
        label={unapplied.title}
        queryKey={['unapplied', filter, oldest]}
        load={cursorPages(
          (page, signal) =>
            api.get('/v1/unapplied-payments', {
              params: { query: { ...query, ...page } },
              signal,
            }),
          oldest,
        )}
        keyOf={({ id }) => id}
        linkOf={({ id }) => pageOf(id)}
        secondOf={reasonOf}
        hasFilters={Object.keys(filter).length > 0}
        columns={[
          shared.amount,
          shared.status,
          {
            name: 'reason',
            header: fields.reason,
            isMinor: true,
            cell: reasonOf,
          },
          shared.account,
          { ...shared.created, isMinor: true, sort: 'created_at' },
          {
            name: 'resolve',
            header: fields.action,
            kind: 'action',
            cell: (payment) =>
              resolutionsOf(payment).includes('returned') && (
                <RowAction
                  label={unapplied.resolve}
                  of={money(payment.amount, payment.currency)}
                  isAllowed={isAllowed}
                  onPress={() => setChosen(payment)}
                />
              ),
          },
        ]}
      />
      {!isAllowed && <p className="soft">{denial}</p>}
      {chosen && <ResolveDialog payment={chosen} outcome="returned" onClose={() => setChosen(null)} />}
    </Page>
  );
}
