import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { Icon } from './icons';
import { ErrorText } from './states';

interface ExportButtonProps {
  /** The first part of the name of the file. */
  readonly name: string;
  /** Saves the whole list, with its filters, as CSV. It may tell how many rows there are so far. */
  readonly save: (file: string, count: (rows: number) => void) => Promise<void>;
}

export function ExportButton({ name, save }: ExportButtonProps) {
  const { actions, list } = useMessages();
  const { number } = useFormats();
  const [count, setCount] = useState(0);
  const saving = useMutation({
    mutationFn: () => save(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, setCount),
    onMutate: () => setCount(0),
  });
  const progress = count === 0 ? actions.working : format(list.exporting, { count: number(count) });
  return (
    <div>
      <Button className="secondary" isDisabled={saving.isPending} onPress={() => saving.mutate()}>
        <Icon name="download" />
        {saving.isPending ? progress : list.export}
      </Button>
      {saving.isError && (
        <div className="problem" role="alert">
          <ErrorText error={saving.error} />
        </div>
      )}
    </div>
  );
}
