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
}

/** The action that cancels a transaction, a payment request or a subscription. */
export function useCancelAction({ about, text, done }: CancelTexts, cancel: () => Promise<unknown>): Action {
  const { actions } = useMessages();
  const { operate } = useMayAct();
  return {
    name: 'cancel',
    label: actions.cancel,
    ...operate,
    isDangerous: true,
    dialog: (close) => (
      <ActionDialog
        title={actions.cancel}
        about={about}
        text={text}
        confirm={actions.cancel}
        done={done}
        isDangerous
        onClose={close}
        run={cancel}
      />
    ),
  };
}
