import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useMessages } from '../i18n/i18n';
import { ErrorText } from './states';
import { useToast } from './toasts';
import { useDiscardDraft } from './use-draft';
import { useFocusReturn } from './use-focus-return';

/** What the service says of something that has another state than the page shows. */
const staleCodes = ['conflict', 'not_cancellable'] as const;

interface ActionDialogProps<T> {
  readonly title: string;
  /** What it is done to, by what people call it: a name, an email, an amount, an address. */
  readonly about: string | undefined;
  /** What will happen, and whether and how it can be undone. */
  readonly text: string;
  readonly confirm: string;
  readonly done: string | ((result: T) => string);
  readonly isDangerous?: boolean;
  /** The drafts that end with the dialog. */
  readonly form?: string;
  /** Whether what was entered is complete. */
  readonly isReady?: boolean;
  /** @returns false when the dialog goes on, because something else has to be done first */
  readonly run: () => Promise<T | false>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/**
 * Says what an action does before it is done, and shows why it was not. Everything on the screen is read again after it,
 * also when it was refused, because then something has changed. A page that does not offer the action any more closes it.
 */
export function ActionDialog<T>({
  run,
  onClose: close,
  done,
  isReady = true,
  form,
  ...shown
}: ActionDialogProps<T>) {
  const { actions } = useMessages();
  const toast = useToast();
  const queries = useQueryClient();
  const returnFocus = useFocusReturn();
  const discardDraft = useDiscardDraft();
  const onClose = (): void => {
    if (form !== undefined) discardDraft(form);
    close();
  };
  const isRunning = useRef(false); // a double click comes before the button is shown disabled
  const action = useMutation({
    mutationFn: run,
    onSuccess: (result) => {
      if (result === false) return;
      toast(typeof done === 'string' ? done : done(result));
      onClose();
    },
    onError: (error) => {
      if (error instanceof ApiError && staleCodes.some((code) => error.is(code))) toast(actions.changed);
    },
    onSettled: () => {
      isRunning.current = false;
      return queries.invalidateQueries().then(returnFocus);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady || isRunning.current) return;
    isRunning.current = true;
    action.mutate();
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className="modal">
        <Dialog role="alertdialog">
          <form onSubmit={submit} noValidate>
            <Heading slot="title">{shown.title}</Heading>
            {shown.about && <p className="about">{shown.about}</p>}
            <p>{shown.text}</p>
            {shown.children}
            {action.isError && (
              <div className="problem" role="alert">
                <ErrorText error={action.error} isOfAction />
              </div>
            )}
            <div className="buttons">
              <Button className="secondary" onPress={onClose}>
                {actions.back}
              </Button>
              <Button
                type="submit"
                className={shown.isDangerous ? 'danger' : 'primary'}
                isDisabled={!isReady || action.isPending}
              >
                {action.isPending ? actions.working : shown.confirm}
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
