import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { AuditList, useAuditFilter } from './audit-table';

export default function AuditPage() {
  const { audit } = useMessages();
  const filter = useAuditFilter();
  return (
    <Page
      title={audit.title}
      aside={<ExportButton name="audit-log" save={(file) => downloadList('/v1/audit-log', filter, file)} />}
    >
      <AuditList />
    </Page>
  );
}
