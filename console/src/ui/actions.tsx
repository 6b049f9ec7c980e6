import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { useSearchParams } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { MoreMenu } from './more-menu';
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

/** Of more actions than these, only the first two are buttons: the first is the usual one. */
const MOST_BUTTONS = 5;

/** The name of the action, in the address, whose dialog is open. */
const OPEN = 'dialog';

/** Other pages are left as they are: an action may have led there. */
function nameOpen(name: string | null): void {
  const next = new URLSearchParams(location.search);
  if (name === null && !next.has(OPEN)) return;
  next.delete(OPEN);
  if (name !== null) next.set(OPEN, name);
  history.replaceState(history.state, '', [location.pathname, next.toString()].filter(Boolean).join('?'));
}

/**
 * The actions on what a page shows; the rest of many is in a menu. Those that are not possible are there, disabled, and it
 * is said why, of the rest in the menu. The dialog of one that is not there any more, because somebody else was faster, is
 * closed, and it says so. The address names the one that is open, so that it is there again after a sign-in.
 */
export function Actions({ actions }: { readonly actions: readonly Action[] }) {
  const t = useMessages();
  const [params] = useSearchParams();
  const toast = useToast();
  const close = (): void => nameOpen(null);
  const named = params.get(OPEN);
  const open = actions.find(({ name }) => name === named);
  const wasOpen = useRef(false);
  useEffect(() => {
    const isGone = wasOpen.current && named !== null && open === undefined;
    wasOpen.current = open !== undefined;
    if (!isGone) return;
    nameOpen(null);
    toast(t.actions.changed);
  }, [open, named, toast, t]);
  const buttons = actions.length > MOST_BUTTONS ? actions.slice(0, 2) : actions;
  const rest = actions.slice(buttons.length);
  const denied = buttons.filter(({ isAllowed }) => !isAllowed);
  const denials = new Set(denied.map(({ denial = '' }) => denial));
  const restDenials = rest.flatMap(({ isAllowed, denial }) =>
    isAllowed || denial === undefined ? [] : [denial],
  );
  const note = [...new Set(restDenials)].filter((denial) => !denials.has(denial)).join(' ');
  const labelsOf = (reason: string): string => {
    const those = denied.filter(({ denial = '' }) => denial === reason).map(({ label }) => label);
    return denials.size > 1 ? those.join(', ') + t.names.separator : '';
  };
  return (
    <div className="actions">
      {buttons.map(({ name, label, isAllowed, isDangerous }, place) => (
        <Button
          key={name}
          className={classOf({ isDangerous, isUsual: rest.length > 0 && place === 0 })}
          isDisabled={!isAllowed}
          onPress={() => nameOpen(name)}
        >
          {label}
        </Button>
      ))}
      {rest.length > 0 && (
        <MoreMenu
          label={t.actions.more}
          className="secondary"
          note={note}
          items={rest.map(({ isAllowed, ...action }) => ({ ...action, isDisabled: !isAllowed }))}
          onChoose={nameOpen}
        />
      )}
      {[...denials].map((denial) => (
        <p key={denial} className="soft">
          {labelsOf(denial)}
          {denial}
        </p>
      ))}
      {open?.dialog(close)}
    </div>
  );
}

function classOf({
  isDangerous = false,
  isUsual,
}: Pick<Action, 'isDangerous'> & { readonly isUsual: boolean }) {
  if (isDangerous) return 'secondary danger-text';
  return isUsual ? 'primary' : 'secondary';
}
