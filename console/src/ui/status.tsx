import { textFor, useMessages } from '../i18n/i18n';

const tones: Readonly<Record<string, string>> = {
  succeeded: 'good',
  active: 'good',
  pending: 'wait',
  posted: 'good',
  approved: 'good',
  enabled: 'good',
  received: 'wait',
  failed: 'bad',
  suspended: 'bad',
  refused: 'bad',
  rejected: 'bad',
  disabled: 'bad',
  needs_attention: 'bad',
};

export function Status({ value }: { readonly value: string }) {
  const { statuses } = useMessages();
  return <span className={`status ${tones[value] ?? 'calm'}`}>{textFor(statuses, value)}</span>;
}
