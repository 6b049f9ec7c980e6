import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMessages } from '../i18n/i18n';
import { Icon } from './icons';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for those who do not see it. */
  readonly label: string;
}

export function CopyButton({ value, label }: CopyButtonProps) {
  const { actions } = useMessages();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = isCopied ? setTimeout(() => setCopied(false), 2_000) : undefined;
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => void navigator.clipboard.writeText(value).then(() => setCopied(true));
  return (
    <Button
      className="quiet"
      aria-label={`${isCopied ? actions.copied : actions.copy}: ${label}`}
      onPress={copy}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </Button>
  );
}

/** A value with a button that copies it. */
export function Copyable({ value }: { readonly value: string }) {
  return (
    <span className="copyable">
      <code>{value}</code>
      <CopyButton value={value} label={value} />
    </span>
  );
}
