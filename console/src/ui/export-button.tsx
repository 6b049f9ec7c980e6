import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { saveFile, toCsv } from '../api/csv';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { Icon } from './icons';
import { ErrorText } from './states';

interface ExportButtonProps {
  /** The first part of the name of the file. */
  readonly name: string;
  readonly columns: readonly string[];
  /** All items of the list, with its filters. */
  readonly items: () => AsyncIterable<object>;
}

/** Saves a whole list as CSV. It is read page by page, and the rows that have been read are counted. */
export function ExportButton({ name, columns, items }: ExportButtonProps) {
  const { list } = useMessages();
  const { number } = useFormats();
  const [count, setCount] = useState(0);
  const saving = useMutation({
    mutationFn: async () => {
      const rows: unknown[][] = [];
      for await (const item of items()) {
        rows.push(columns.map((column) => (item as Record<string, unknown>)[column]));
        if (rows.length % 100 === 0) setCount(rows.length);
      }
      const day = new Date().toISOString().slice(0, 10);
      saveFile(`${name}-${day}.csv`, 'text/csv;charset=utf-8', toCsv(columns, rows));
    },
    onMutate: () => setCount(0),
  });
  return (
    <div>
      <Button className="secondary" isDisabled={saving.isPending} onPress={() => saving.mutate()}>
        <Icon name="download" />
        {saving.isPending ? format(list.exporting, { count: number(count) }) : list.export}
      </Button>
      {saving.isError && (
        <div className="problem" role="alert">
          <ErrorText error={saving.error} />
        </div>
      )}
    </div>
  );
}
