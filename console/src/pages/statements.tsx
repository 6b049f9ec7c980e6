import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { accountPath } from '../api/account';
import type { Schemas } from '../api/client';
import { download, downloadList } from '../api/download';
import { useFormats } from '../i18n/formats';
import { format as fill, useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { SelectField } from '../ui/fields';
import { Icon } from '../ui/icons';
import { ErrorText } from '../ui/states';
import { monthsBetween, periodOf } from './date-filters';

const formats = ['pdf', 'csv', 'camt053'] as const;
type Format = (typeof formats)[number];
const extensions: Readonly<Record<Format, string>> = { pdf: 'pdf', csv: 'csv', camt053: 'xml' };

interface StatementsProps {
  readonly account: Pick<Schemas['AccountResponse'], 'id' | 'created_at'>;
}

/** Saves the statement of a month: of those that have ended since the account was created. */
export function Statements({ account: { id: accountId, created_at } }: StatementsProps) {
  const { account, actions } = useMessages();
  const { month: nameOf, time } = useFormats();
  const months = monthsBetween(created_at, new Date(Date.now() - DELAY_MS)).slice(1);
  const [month = months[0], setMonth] = useState<string>();
  const [format, setFormat] = useState<Format>('pdf');
  const saving = useMutation({
    mutationFn: (month: string) =>
      download(
        `${accountPath(accountId)}/statements/${encodeURIComponent(month)}?format=${format}`,
        `statement-${accountId}-${month}.${extensions[format]}`,
      ),
  });
  const current = new Date().toISOString().slice(0, 7);
  const soFar = (
    <ExportButton
      name={`entries-${accountId}`}
      label={fill(account.soFar, { month: nameOf(current) })}
      save={(file) => downloadList(`${accountPath(accountId)}/entries`, periodOf(current), file)}
    />
  );
  if (month === undefined) {
    const first = { month: nameOf(created_at.slice(0, 7)), time: time(availableFrom(created_at)) };
    return (
      <div className="statements">
        <p className="soft">{fill(account.firstStatement, first)}</p>
        {soFar}
      </div>
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate(month);
  };
  return (
    <form className="statements" onSubmit={submit}>
      <SelectField
        label={account.month}
        hint={account.statementHint}
        options={months.map((each) => [each, nameOf(each)])}
        value={month}
        onChange={setMonth}
      />
      <SelectField
        label={account.format}
        options={formats.map((each) => [each, account.statementFormats[each]])}
        value={format}
        onChange={(value) => setFormat(value as Format)}
      />
      <Button type="submit" className="secondary" isDisabled={saving.isPending}>
        <Icon name="download" />
        {saving.isPending ? actions.working : account.download}
      </Button>
      {saving.isError && (
        <div className="problem" role="alert">
          <ErrorText error={saving.error} />
        </div>
      )}
      {soFar}
    </form>
  );
}

/** How long after its end a month has its statement. */
const DELAY_MS = 60 * 60 * 1000;

/** When the statement of the month of a time can be had. */
function availableFrom(time: string): string {
  const month = new Date(time);
  const end = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
  return new Date(end + DELAY_MS).toISOString();
}
