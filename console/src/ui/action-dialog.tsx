import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { needsRecentSignIn } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { usePasswordFields } from '../session/password-fields';
import { SingleSignOn } from '../session/single-sign-on';
import { useUser } from '../session/use-session';
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
  /** What is said then; by default nothing. */
  readonly done?: string | ((result: T) => string);
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
 * What needs a recent sign-in asks for one, and is done then.
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
  const [asksToSignIn, askToSignIn] = useState(false);
  const isRunning = useRef(false); // a double click comes before the button is shown disabled
  const action = useMutation({
    mutationFn: run,
    onSuccess: (result) => {
      if (result === false) return;
      if (done !== undefined) toast(typeof done === 'string' ? done : done(result));
      onClose();
    },
    onError: (error) => {
      if (error instanceof ApiError && staleCodes.some((code) => error.is(code))) toast(actions.changed);
      if (needsRecentSignIn(error)) askToSignIn(true);
    },
    onSettled: () => {
      isRunning.current = false;
      return queries.invalidateQueries().then(returnFocus);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) start();
  };
  const start = (): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    action.mutate();
  };
  const dialog = (
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
  if (!asksToSignIn) return dialog;
  return (
    <>
      {dialog}
      <SignInAgain onDone={start} onClose={() => askToSignIn(false)} />
    </>
  );
}

interface SignInAgainProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks who is signed in to do that once more. It is another session of the same person, so nothing on the screen changes. */
function SignInAgain({ onDone, onClose }: SignInAgainProps) {
  const { signIn: t } = useMessages();
  const { email } = useUser();
  const password = usePasswordFields({ autoFocus: true });
  return (
    <ActionDialog
      title={t.again}
      about={email}
      text={t.againText}
      confirm={t.submit}
      isReady={password.isComplete}
      onClose={onClose}
      run={async () => {
        if (!(await password.signIn(email))) return false;
        onDone();
      }}
    >
      {!isDashboard && <SingleSignOn />}
      {password.fields}
    </ActionDialog>
  );
}
