import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import type { Schemas } from '../api/client';
import { download } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { SelectField, TextField } from '../ui/fields';
import { Icon } from '../ui/icons';
import { ErrorText } from '../ui/states';

const formats = ['pdf', 'csv', 'camt053'] as const;
type Format = (typeof formats)[number];
const extensions: Readonly<Record<Format, string>> = { pdf: 'pdf', csv: 'csv', camt053: 'xml' };

interface StatementsProps {
  readonly account: Pick<Schemas['AccountResponse'], 'id' | 'created_at'>;
}

/** Saves the statement of a month: of those that have ended since the account was created. */
export function Statements({ account: { id: accountId, created_at } }: StatementsProps) {
  const { account, actions } = useMessages();
  const [first, last] = [created_at.slice(0, 7), lastMonth()];
  const [month, setMonth] = useState(lastMonth);
  const [format, setFormat] = useState<Format>('pdf');
  const saving = useMutation({
    mutationFn: () =>
      download(
        `/v1/accounts/${encodeURIComponent(accountId)}/statements/${encodeURIComponent(month)}?format=${format}`,
        `statement-${accountId}-${month}.${extensions[format]}`,
      ),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form className="statements" onSubmit={submit}>
      <TextField
        label={account.month}
        hint={account.statementHint}
        type="month"
        required
        min={first}
        max={last}
        value={month}
        onChange={setMonth}
      />
      <SelectField
        label={account.format}
        options={formats.map((each) => [each, account.statementFormats[each]])}
        value={format}
        onChange={(value) => setFormat(value as Format)}
      />
      <Button
        type="submit"
        className="secondary"
        isDisabled={saving.isPending || month < first || month > last}
      >
        <Icon name="download" />
        {saving.isPending ? actions.working : account.download}
      </Button>
      {saving.isError && (
        <div className="problem" role="alert">
          <ErrorText error={saving.error} />
        </div>
      )}
    </form>
  );
}

/** The month before this one, in UTC as statements are. */
function lastMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
}
