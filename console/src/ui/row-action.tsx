import { Button } from 'react-aria-components/Button';

interface RowActionProps {
  readonly label: string;
  /** What the action is about, for those who do not see the row. */
  readonly of: string;
  readonly isAllowed: boolean;
  readonly onPress: () => void;
}

/**
 * A button in a row of a list. The dialog that it opens belongs beside the list: the row may go away when the list is
 * read again. Beside the list is also said why the button is disabled.
 */
export function RowAction({ label, of, isAllowed, onPress }: RowActionProps) {
  return (
    <Button className="row-action" aria-label={`${label}: ${of}`} isDisabled={!isAllowed} onPress={onPress}>
      {label}
    </Button>
  );
}
