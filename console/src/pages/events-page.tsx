import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { isDashboard } from '../place';
import { useMaySee } from '../session/use-session';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { dateFilters } from './date-filters';
import { accountEventTypes, eventTypes, platformEventTypes } from './event-types';
import { EventsTable } from './events-table';

const names = ['type', 'object_id', 'account_id', 'date_from', 'date_to'] as const;

export default function EventsPage() {
  const { events: t, nav, fields, list, names: texts } = useMessages();
  const filter = useFilters(names);
  const { oversight } = useMaySee();
  const types = new Set<string>([
    ...(isDashboard ? accountEventTypes : oversight ? eventTypes : platformEventTypes),
    ...(filter.type === undefined ? [] : [filter.type]),
  ]);
  return (
    <Page
      title={nav.events}
      aside={<ExportButton name="events" save={(file) => downloadList('/v1/events', filter, file)} />}
    >
      <p className="soft intro">{t.kept}</p>
      <Filters
        savedAs="events"
        filters={[
          {
            name: 'type',
            label: fields.type,
            options: Object.fromEntries([...types].map((type) => [type, nameOf(texts, type)])),
          },
          { name: 'object_id', label: t.objectId, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <EventsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
