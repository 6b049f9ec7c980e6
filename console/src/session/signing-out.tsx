import { useEffect } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMessages } from '../i18n/i18n';
import { Loading } from '../ui/states';
import { session, type SessionState } from './session';

const RETRY_MS = 3_000;

/** Waits for the end of the session, and says when it goes on, because whoever comes next could use it. */
export function SigningOut({ reason, hasFailed }: Extract<SessionState, { status: 'signing-out' }>) {
  const { you, connection } = useMessages();
  useEffect(() => {
    if (!hasFailed) return;
    const timer = setInterval(() => void session.signOut(reason), RETRY_MS);
    return () => clearInterval(timer);
  }, [reason, hasFailed]);
  if (!hasFailed) return <Loading />;
  return (
    <main className="alone">
      <div className="note" role="alert">
        <h1>{you.notSignedOut}</h1>
        <p>{you.notSignedOutText}</p>
      </div>
      <Button className="primary" onPress={() => void session.signOut(reason)}>
        {connection.retry}
      </Button>
    </main>
  );
}
