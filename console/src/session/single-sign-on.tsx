import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { format as fill, useMessages } from '../i18n/i18n';

const PATH = '/console/session/oidc';

interface Provider {
  readonly name: string;
  readonly label: string;
}

/** A button for each provider through which the back office signs in, and why the last sign-in did not work. */
export function SingleSignOn() {
  const { signIn: t } = useMessages();
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  const [error] = useState(() => new URLSearchParams(location.search).get('sign_in'));
  useEffect(() => {
    if (error !== null) history.replaceState(null, '', location.pathname);
  }, [error]);
  useEffect(() => {
    const read = new AbortController();
    fetch(PATH, { signal: read.signal })
      .then(async (response) =>
        setProviders(((await response.json()) as { providers: Provider[] }).providers),
      )
      .catch(() => undefined); // the password is still there
    return () => read.abort();
  }, []);

  const begin = (name: string): void => {
    location.assign(`${PATH}/${name}?to=${encodeURIComponent(location.pathname + location.search)}`);
  };
  const texts: Readonly<Record<string, string>> = {
    conflict: t.provider.noUser,
    email_exists: t.provider.noUser,
    forbidden: t.provider.noGroup,
    rate_limited: t.tooMany,
    unauthorized: t.disabled,
    unavailable: t.provider.unavailable,
  };
  return (
    <>
      {error !== null && (
        <p className="problem" role="alert">
          {texts[error] ?? t.provider.failed}
        </p>
      )}
      {providers.map(({ name, label }) => (
        <Button key={name} type="button" className="secondary" onPress={() => begin(name)}>
          {fill(t.provider.submit, { provider: label })}
        </Button>
      ))}
    </>
  );
}
