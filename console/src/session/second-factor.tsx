import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { saveFile } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { Copyable, CopyButton } from '../ui/copy';
import { TextField } from '../ui/fields';
import { Icon } from '../ui/icons';
import { ErrorText } from '../ui/states';

interface SetUpProps {
  /** Called once the recovery codes are kept. */
  readonly onDone: () => void;
}

/** Sets up one's second factor step by step: the password, the app, and the recovery codes. */
export function SetUpSecondFactor({ onDone }: SetUpProps) {
  const t = useMessages();
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const begin = useMutation({
    mutationFn: () => api.post('/v1/auth/otp', { body: { password } }),
  });
  const confirm = useMutation({
    mutationFn: () =>
      api.post('/v1/auth/otp/confirmation', {
        body: { otp: otp.replaceAll(' ', '') },
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
      <Step submit={t.enrol.confirm} onSubmit={() => confirm.mutate()} error={confirm.error}>
        <p>{t.enrol.scan}</p>
        <img className="qr" src={begin.data.qr_code} alt={t.enrol.qrCode} />
        <p>
          {t.enrol.key}: <Copyable value={begin.data.secret} />
        </p>
        <TextField
          label={t.enrol.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          value={otp}
          onChange={setOtp}
        />
      </Step>
    );
  }
  return (
    <Step submit={t.enrol.start} onSubmit={() => begin.mutate()} error={begin.error}>
      <TextField
        label={t.signIn.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
      />
    </Step>
  );
}

/** The recovery codes, which are shown once: to copy, or to download. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const { dashboard, enrol } = useMessages();
  const t = dashboard.you;
  const text = codes.join('\n');
  return (
    <>
      <p>{enrol.recovery}</p>
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
  readonly error?: unknown;
  readonly children: ReactNode;
}

function Step({ submit, onSubmit, error, children }: StepProps) {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="step" onSubmit={send}>
      {error ? (
        <div className="problem" role="alert">
          <ErrorText error={error} />
        </div>
      ) : null}
      {children}
      <Button type="submit" className="primary">
        {submit}
      </Button>
    </form>
  );
}
