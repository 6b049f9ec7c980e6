import { Suspense, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useLocation } from 'wouter';
import { ConnectionNotice } from './connection-notice';
import { format, useMessages } from './i18n/i18n';
import { Navigation } from './navigation';
import { loadPages } from './place';
import { SearchField, TYPED } from './search-field';
import { useIdleSignOut } from './session/use-session';
import { session } from './session/session';
import { Icon } from './ui/icons';
import { lazyPage, PageBoundary } from './ui/page-boundary';
import { Loading } from './ui/states';
import { UserMenu } from './user-menu';

export const Pages = lazyPage<object>(loadPages);

interface ShellProps {
  readonly idleSeconds: number;
  readonly testMode: boolean;
}

/** What is around every page: navigation, search and the session. */
export function Shell({ idleSeconds, testMode }: ShellProps) {
  const t = useMessages();
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(location);
  const secondsLeft = useIdleSignOut(idleSeconds);
  useEffect(() => {
    if (location === shown) return;
    setShown(location);
    setOpen(false);
    if (history.state !== TYPED) main.current?.focus({ preventScroll: true }); // readers begin with the new page
    scrollTo(0, 0);
  }, [location, shown]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t.nav.skip}
      </a>
      <header className="bar">
        {testMode && (
          <p className="test-mode">
            <strong>{t.testMode.heading}</strong> {t.testMode.text}
          </p>
        )}
        <Button className="quiet menu-button" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          <Icon name="menu" />
          <span className="hidden">{t.nav.open}</span>
        </Button>
        <SearchField />
        <UserMenu />
      </header>
      <Navigation isOpen={isOpen} />
      <main id="content" ref={main} tabIndex={-1}>
        <ConnectionNotice />
        <PageBoundary key={location}>
          <Suspense fallback={<Loading />}>
            <Pages />
          </Suspense>
        </PageBoundary>
      </main>
      {secondsLeft !== null && (
        <ModalOverlay className="overlay" isOpen>
          <Modal className="modal">
            <Dialog role="alertdialog">
              <Heading slot="title">{t.idle.title}</Heading>
              <p>{format(t.idle.text, { seconds: secondsLeft })}</p>
              <div className="buttons">
                <Button className="primary" autoFocus onPress={() => session.touch()}>
                  {t.idle.stay}
                </Button>
              </div>
            </Dialog>
          </Modal>
        </ModalOverlay>
      )}
    </div>
  );
}
