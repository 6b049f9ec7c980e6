import { useQueryClient } from '@tanstack/react-query';
import { ConnectionError } from 'countinghouse-client';
import { useEffect, useState } from 'react';
import { useMessages } from './i18n/i18n';

const RETRY_MS = 3_000;

/** Says that the connection is lost while reading fails for that reason, and reads again until it works. */
export function ConnectionNotice() {
  const { connection } = useMessages();
  const queries = useQueryClient();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const cache = queries.getQueryCache();
    const update = (): void => {
      const active = cache.findAll({ type: 'active' });
      const lost = active.some(
        ({ state }) => state.fetchFailureReason instanceof ConnectionError || isLostError(state.error),
      );
      setTimeout(() => setLost(lost || !navigator.onLine));
    };
    const unsubscribe = cache.subscribe(update);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      unsubscribe();
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, [queries]);
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => void queries.refetchQueries({ type: 'active' }), RETRY_MS);
    return () => clearInterval(timer);
  }, [isLost, queries]);
  return <div role="status">{isLost && <p className="notice connection">{connection.lost}</p>}</div>;
}

function isLostError(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof TypeError;
}
