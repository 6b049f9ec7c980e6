import { useEffect } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMessages } from '../i18n/i18n';
import { SetUpSecondFactor } from './second-factor';
import { session } from './session';

/** Sets up the second factor that the back office needs, before anything else is shown. */
export function Enrolment() {
  const t = useMessages();
  useEffect(() => {
    document.title = `${t.enrol.title} · ${t.product}`;
  }, [t]);
  return (
    <main className="alone">
      <div className="card">
        <p className="brand">{t.product}</p>
        <h1>{t.enrol.title}</h1>
        <p>{t.enrol.why}</p>
        <SetUpSecondFactor onDone={() => void session.restore()} />
        <Button className="quiet" onPress={() => void session.signOut()}>
          {t.you.signOut}
        </Button>
      </div>
    </main>
  );
}
