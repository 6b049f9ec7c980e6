import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { type FormEvent, type ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useMessages } from '../i18n/i18n';
import { ErrorText } from './states';
import { useToast } from './toasts';

interface ActionDialogProps {
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  readonly confirm: string;
  readonly done: string;
  readonly isDangerous?: boolean;
  /** Whether what was entered is complete. */
  readonly isReady?: boolean;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/**
 * Says what an action does before it is done, and shows why it was not. Everything on the screen is read again after it,
 * also when it was refused, because then something has changed.
 */
export function ActionDialog({ run, onClose, done, isReady = true, ...shown }: ActionDialogProps) {
  const { actions } = useMessages();
  const toast = useToast();
  const queries = useQueryClient();
  const action = useMutation({
    mutationFn: run,
    onSuccess: () => {
      toast(done);
      onClose();
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status !== 409) return;
      toast(actions.changed); // the action may not even be possible any more
      onClose();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !action.isPending) action.mutate();
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className="modal">
        <Dialog role="alertdialog">
          <form onSubmit={submit} noValidate>
            <Heading slot="title">{shown.title}</Heading>
            <p>{shown.text}</p>
            {shown.children}
            {action.isError && (
              <div className="problem" role="alert">
                <ErrorText error={action.error} />
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
