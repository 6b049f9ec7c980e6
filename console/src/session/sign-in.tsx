import { ApiError, Countinghouse } from 'countinghouse-client';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { queries } from '../api/client';
import { describeError } from '../i18n/describe-error';
import { type Messages } from '../i18n/messages/en';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { TextField } from '../ui/fields';
import { usePasswordFields } from './password-fields';
import { SingleSignOn } from './single-sign-on';

/** The API without a session. */
const anyone = new Countinghouse({ baseUrl: location.origin });

export function SignIn({ reason }: { readonly reason: 'idle' | 'ended' | null }) {
  const t = useMessages();
  const { title, elsewhere } = textsOf(t);
  const [email, setEmail] = useState('');
  const password = usePasswordFields();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isElsewhere, setElsewhere] = useState(false);
  const [isLinkSent, setLinkSent] = useState(false);
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
    queries.clear(); // nobody sees what was read for another user
  }, [t, title]);

  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      if (await password.signIn(email.trim())) return;
      setProblem(null);
    } catch (error) {
      setElsewhere(error instanceof ApiError && error.is('forbidden'));
      setProblem(problemOf(error, t));
    }
    setBusy(false);
  };
  const sendLink = async (): Promise<void> => {
    setLinkSent(false);
    setProblem(email.trim() === '' ? t.signIn.emailFirst : null);
    if (email.trim() === '' || isBusy) return;
    setBusy(true);
    try {
      await anyone.post('/v1/auth/password-reset', { body: { email: email.trim() } });
      setLinkSent(true);
    } catch (error) {
      setProblem(error instanceof ApiError ? describeError(t.errors, error).text : t.connection.unreachable);
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) void signIn();
  };

  return (
    <main className="alone">
      <form className="card" onSubmit={submit}>
        <p className="brand">{t.product}</p>
        <h1>{title}</h1>
        {reason !== null && problem === null && <p className="notice">{t.signIn.reasons[reason]}</p>}
        {isLinkSent && (
          <p className="notice" role="status">
            {t.signIn.linkSent}
          </p>
        )}
        {problem !== null && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <SingleSignOn />
        <TextField
          label={t.signIn.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
        />
        {password.fields}
        <Button type="submit" className="primary" isDisabled={isBusy}>
          {isBusy ? t.signIn.submitting : t.signIn.submit}
        </Button>
        <Button type="button" className="quiet" onPress={() => void sendLink()}>
          {t.signIn.forgot}
        </Button>
        {(!isDashboard || isElsewhere) && <a href={isDashboard ? '/console/' : '/dashboard/'}>{elsewhere}</a>}
      </form>
    </main>
  );
}

/** What the two places say in different words. */
function textsOf({ signIn, dashboard }: Messages) {
  return isDashboard
    ? { ...dashboard.signIn, elsewhere: dashboard.signIn.toConsole }
    : { ...signIn, elsewhere: dashboard.signIn.toDashboard };
}

function problemOf(error: unknown, t: Messages): string {
  const { signIn, connection, errors } = t;
  const { notAdmitted, disabled } = textsOf(t);
  if (!(error instanceof ApiError)) return connection.unreachable;
  switch (error.code) {
    case 'invalid_credentials':
    case 'invalid_request':
      return signIn.wrong;
    case 'forbidden':
      return notAdmitted;
    case 'unauthorized':
      return disabled;
    case 'rate_limited':
      return signIn.tooMany;
    default:
      return describeError(errors, error).text;
  }
}
