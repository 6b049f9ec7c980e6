import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nProvider as AriaI18nProvider } from 'react-aria-components';
import { Button } from 'react-aria-components/Button';
import { Router } from 'wouter';
import { queries } from './api/client';
import { I18nProvider, useI18n, useMessages } from './i18n/i18n';
import { place } from './place';
import { Enrolment } from './session/enrolment';
import { session } from './session/session';
import { SignIn } from './session/sign-in';
import { SigningOut } from './session/signing-out';
import { useSession } from './session/use-session';
import { Pages, Shell } from './shell';
import { Opening } from './ui/opening';
import { ToastProvider } from './ui/toasts';

export async function start(): Promise<void> {
  await Pages.preload().catch(() => undefined); // the shell says so, and loads them again
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

function App() {
  return (
    <QueryClientProvider client={queries}>
      <I18nProvider>
        <Localized />
      </I18nProvider>
    </QueryClientProvider>
  );
}

function Localized() {
  const { locale } = useI18n();
  return (
    <AriaI18nProvider locale={locale}>
      <ToastProvider>
        <Router base={`/${place}`}>
          <Content />
        </Router>
      </ToastProvider>
    </AriaI18nProvider>
  );
}

function Content() {
  const state = useSession();
  const { connection } = useMessages();
  switch (state.status) {
    case 'restoring':
      return <Opening />;
    case 'unreachable':
      return (
        <main className="alone">
          <p role="alert">{connection.unreachable}</p>
          <Button className="primary" onPress={() => void session.restore()}>
            {connection.retry}
          </Button>
        </main>
      );
    case 'signing-out':
      return <SigningOut {...state} />;
    case 'signed-out':
      return <SignIn reason={state.reason} />;
    case 'signed-in':
      return state.mustEnrol ? <Enrolment /> : <Shell {...state} />;
  }
}
