import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { saveFile } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { Copyable, CopyButton } from '../ui/copy';
import { Icon } from '../ui/icons';
import { CodeField, PasswordField, withoutSpaces } from '../ui/secret-fields';
import { ErrorText } from '../ui/states';
import { useFocusOnce } from '../ui/use-focus-once';

interface SetUpProps {
  /** Called once the recovery codes are kept. */
  readonly onDone: () => void;
  readonly onBack?: () => void;
}

/** Sets up one's second factor step by step: the password, the app, and the recovery codes. */
export function SetUpSecondFactor({ onDone, onBack }: SetUpProps) {
  const t = useMessages();
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const begin = useMutation({
    mutationFn: () => api.post('/v1/auth/otp', { body: { password } }),
  });
  const confirm = useMutation({
    mutationFn: () =>
      api.post('/v1/auth/otp/confirmation', {
        body: { otp: withoutSpaces(otp) },
      }),
  });
  if (confirm.data) {
    return (
      <Step submit={t.enrol.done} onSubmit={onDone}>
        <RecoveryCodes codes={confirm.data.recovery_codes} />
      </Step>
    );
  }
  if (begin.data) {
    return (
      <Step submit={t.enrol.confirm} onSubmit={() => confirm.mutate()} onBack={onBack} mutation={confirm}>
        <p>{t.enrol.scan}</p>
        <img className="qr" src={begin.data.qr_code} alt={t.enrol.qrCode} />
        <p>
          {t.enrol.key}: <Copyable value={begin.data.secret} />
        </p>
        <CodeField label={t.enrol.code} inputMode="numeric" value={otp} onChange={setOtp} />
      </Step>
    );
  }
  return (
    <Step submit={t.enrol.start} onSubmit={() => begin.mutate()} onBack={onBack} mutation={begin}>
      <PasswordField autoFocus value={password} onChange={setPassword} />
    </Step>
  );
}

/** The recovery codes, which are shown once: to copy, or to download. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const { dashboard, enrol } = useMessages();
  const t = dashboard.you;
  const focused = useFocusOnce<HTMLParagraphElement>();
  const text = codes.join('\n');
  return (
    <>
      <p ref={focused} tabIndex={-1}>
        {enrol.recovery}
      </p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyButton value={text} label={t.copyCodes} />
        <Button
          className="secondary"
          onPress={() => saveFile('recovery-codes.txt', new Blob([`${text}\n`], { type: 'text/plain' }))}
        >
          <Icon name="download" />
          {t.download}
        </Button>
      </div>
    </>
  );
}

interface StepProps {
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly onBack?: (() => void) | undefined;
  readonly mutation?: { readonly error: unknown; readonly isPending: boolean };
  readonly children: ReactNode;
}

function Step({ submit, onSubmit, onBack, mutation, children }: StepProps) {
  const { actions } = useMessages();
  const { error = null, isPending = false } = mutation ?? {};
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <form className="step" onSubmit={send}>
      {error !== null && (
        <div className="problem" role="alert">
          <ErrorText error={error} isOfAction />
        </div>
      )}
      {children}
      <div className="buttons">
        {onBack && (
          <Button className="secondary" onPress={onBack}>
            {actions.back}
          </Button>
        )}
        <Button type="submit" className="primary" isDisabled={isPending}>
          {isPending ? actions.working : submit}
        </Button>
      </div>
    </form>
  );
}
