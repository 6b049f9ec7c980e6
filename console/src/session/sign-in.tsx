import { ApiError } from 'countinghouse-client';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { queries } from '../api/client';
import { describeError } from '../i18n/describe-error';
import { type Messages } from '../i18n/messages/en';
import { useMessages } from '../i18n/i18n';
import { TextField } from '../ui/fields';
import { session } from './session';

export function SignIn({ reason }: { readonly reason: 'idle' | 'ended' | null }) {
  const t = useMessages();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t.signIn.title} · ${t.product}`;
    queries.clear(); // nobody sees what was read for another user
  }, [t]);

  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      await session.signIn(email.trim(), password, otp === null ? undefined : otp.replaceAll(' ', ''));
    } catch (error) {
      const needsCode = error instanceof ApiError && error.is('otp_required');
      if (needsCode) setOtp('');
      setProblem(needsCode ? null : problemOf(error, t));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) void signIn();
  };

  return (
    <main className="alone">
      <form className="card" onSubmit={submit}>
        <p className="brand">{t.product}</p>
        <h1>{t.signIn.title}</h1>
        {reason !== null && problem === null && <p className="notice">{t.signIn.reasons[reason]}</p>}
        {problem !== null && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <TextField
          label={t.signIn.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <TextField
          label={t.signIn.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {otp !== null && (
          <TextField
            label={t.signIn.code}
            autoComplete="one-time-code"
            required
            autoFocus
            value={otp}
            onChange={setOtp}
          />
        )}
        <Button type="submit" className="primary" isDisabled={isBusy}>
          {isBusy ? t.signIn.submitting : t.signIn.submit}
        </Button>
      </form>
    </main>
  );
}

function problemOf(error: unknown, { signIn, connection, errors }: Messages): string {
  if (!(error instanceof ApiError)) return connection.unreachable;
  switch (error.code) {
    case 'invalid_credentials':
    case 'invalid_request':
      return signIn.wrong;
    case 'forbidden':
      return signIn.notAdmitted;
    case 'unauthorized':
      return signIn.disabled;
    case 'rate_limited':
      return signIn.tooMany;
    default:
      return describeError(errors, error).text;
  }
}
