import { type ReactNode, useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMessages } from '../i18n/i18n';
import { useToast } from './toasts';

export interface Action {
  readonly name: string;
  readonly label: string;
  readonly isAllowed: boolean;
  /** Why it is not allowed, where it is not. */
  readonly denial?: string;
  readonly isDangerous?: boolean;
  readonly dialog: (close: () => void) => ReactNode;
}

/**
 * The actions on what a page shows. Those that are not possible are there, disabled, and it is said why. The dialog of one
 * that is not there any more, because somebody else was faster, is closed, and it says so.
 */
export function Actions({ actions }: { readonly actions: readonly Action[] }) {
  const t = useMessages();
  const [open, setOpen] = useState<string | null>(null);
  const toast = useToast();
  const close = (): void => setOpen(null);
  const isGone = open !== null && !actions.some(({ name }) => name === open);
  useEffect(() => {
    if (!isGone) return;
    setOpen(null);
    toast(t.actions.changed);
  }, [isGone, toast, t]);
  const denied = actions.filter(({ isAllowed }) => !isAllowed);
  const denials = new Set(denied.map(({ denial = '' }) => denial));
  const labelsOf = (reason: string): string => {
    const those = denied.filter(({ denial = '' }) => denial === reason).map(({ label }) => label);
    return denials.size > 1 ? those.join(', ') + t.names.separator : '';
  };
  return (
    <div className="actions">
      {actions.map(({ name, label, isAllowed, isDangerous }) => (
        <Button
          key={name}
          className={isDangerous ? 'secondary danger-text' : 'secondary'}
          isDisabled={!isAllowed}
          onPress={() => setOpen(name)}
        >
          {label}
        </Button>
      ))}
      {[...denials].map((denial) => (
        <p key={denial} className="soft">
          {labelsOf(denial)}
          {denial}
        </p>
      ))}
      {actions.find(({ name }) => name === open)?.dialog(close)}
    </div>
  );
}
