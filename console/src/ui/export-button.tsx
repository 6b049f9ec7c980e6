import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { useMessages } from '../i18n/i18n';
import { Icon } from './icons';
import { ErrorText } from './states';

interface ExportButtonProps {
  /** The first part of the name of the file. */
  readonly name: string;
  readonly label?: string;
  /** Saves the whole list, with its filters, as CSV. */
  readonly save: (file: string) => Promise<void>;
}

export function ExportButton({ name, label, save }: ExportButtonProps) {
  const { actions, list } = useMessages();
  const saving = useMutation({
    mutationFn: () => save(`${name}-${new Date().toISOString().slice(0, 10)}.csv`),
  });
  return (
    <div>
      <Button className="secondary" isDisabled={saving.isPending} onPress={() => saving.mutate()}>
        <Icon name="download" />
        {saving.isPending ? actions.working : (label ?? list.export)}
      </Button>
      {saving.isError && (
        <div className="problem" role="alert">
          <ErrorText error={saving.error} />
        </div>
      )}
    </div>
  );
}
