import { textFor, useMessages } from '../i18n/i18n';

const tones: Readonly<Record<string, string>> = {
  succeeded: 'good',
  active: 'good',
  pending: 'wait',
  invited: 'wait',
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

interface StatusProps {
  readonly value: string;
  /** What the values are called where that is not what they are called elsewhere. */
  readonly texts?: Readonly<Record<string, string>>;
}

export function Status({ value, texts }: StatusProps) {
  const { statuses } = useMessages();
  return <span className={`status ${tones[value] ?? 'calm'}`}>{textFor(texts ?? statuses, value)}</span>;
}
