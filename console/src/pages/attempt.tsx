import { type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';

type Attempt = Pick<
  Schemas['WebhookDeliveryResponse'],
  'error' | 'response_status' | 'response_body' | 'duration_ms'
>;

export function useDurationOf(): (attempt: Attempt) => string | null {
  const { webhooks: t } = useMessages();
  const { number } = useFormats();
  return ({ duration_ms: ms }) => (ms === null ? null : format(t.milliseconds, { ms: number(ms) }));
}

/** The rows that show how an endpoint responded. */
export function useAttemptRows(): (attempt: Attempt) => (readonly [name: string, value: ReactNode])[] {
  const { webhooks: t } = useMessages();
  const durationOf = useDurationOf();
  return (attempt) => [
    [t.response, attempt.response_status],
    [t.problem, attempt.error && textFor(t.errors, attempt.error)],
    [t.duration, durationOf(attempt)],
    [t.body, attempt.response_body && <pre>{attempt.response_body}</pre>],
  ];
}
