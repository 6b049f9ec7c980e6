import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { Copyable } from '../ui/copy';
import { TextField } from '../ui/fields';
import { ErrorText } from '../ui/states';
import { session } from './session';

/** Sets up the second factor that the back office needs, before anything else is shown. */
export function Enrolment() {
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
  useEffect(() => {
    document.title = `${t.enrol.title} · ${t.product}`;
  }, [t]);

  if (confirm.data) {
    return (
      <Step submit={t.enrol.done} onSubmit={() => void session.restore()}>
        <p>{t.enrol.recovery}</p>
        <ul className="codes">
          {confirm.data.recovery_codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
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
      <p>{t.enrol.why}</p>
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

interface StepProps {
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly error?: unknown;
  readonly children: ReactNode;
}

function Step({ submit, onSubmit, error, children }: StepProps) {
  const t = useMessages();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main className="alone">
      <form className="card" onSubmit={send}>
        <p className="brand">{t.product}</p>
        <h1>{t.enrol.title}</h1>
        {error ? (
          <div className="problem" role="alert">
            <ErrorText error={error} />
          </div>
        ) : null}
        {children}
        <Button type="submit" className="primary">
          {submit}
        </Button>
        <Button className="quiet" onPress={() => void session.signOut()}>
          {t.you.signOut}
        </Button>
      </form>
    </main>
  );
}
