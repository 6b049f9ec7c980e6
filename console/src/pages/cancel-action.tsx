import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import type { Action } from '../ui/actions';

interface CancelTexts {
  /** What is canceled, by what people call it. */
  readonly about: string;
  /** What will happen. */
  readonly text: string;
  readonly done: string;
  /** What canceling is called. */
  readonly label?: string;
}

/** The action that cancels a transaction, a payment request or a subscription. */
export function useCancelAction(
  { about, text, done, label }: CancelTexts,
  cancel: () => Promise<unknown>,
): Action {
  const { actions } = useMessages();
  const name = label ?? actions.cancel;
  const { operate } = useMayAct();
  return {
    name: 'cancel',
    label: name,
    ...operate,
    isDangerous: true,
    dialog: (close) => (
      <ActionDialog
        title={name}
        about={about}
        text={text}
        confirm={name}
        done={done}
        isDangerous
        onClose={close}
        run={cancel}
      />
    ),
  };
}
