import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useMessages } from './i18n/i18n';
import { Icon } from './ui/icons';

/** The state of a search in the history that shows results while one types. */
export const TYPED = 'typed';

/** How long one does not type before results are shown. */
const PAUSE_MS = 250;

/** The one search field. `/` puts the cursor into it. Results are shown as one types; Enter opens a single one. */
export function SearchField() {
  const { search: t } = useMessages();
  const [location, navigate] = useLocation();
  const [params] = useSearchParams();
  const shown = location === '/search' ? (params.get('q') ?? '') : '';
  const [text, setText] = useState(shown);
  const input = useRef<HTMLInputElement>(null);
  const isTyped = useHistoryState<unknown>() === TYPED;
  useEffect(() => {
    if (!isTyped || shown === '') setText(shown);
  }, [shown, isTyped]);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pause.current), [location]);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = (event.target as Element).closest('input, select, textarea, [role="alertdialog"]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const search = (q: string, state: string | null): void => {
    clearTimeout(pause.current);
    if (q !== '') navigate(`/search?q=${encodeURIComponent(q)}`, { replace: location === '/search', state });
  };
  const type = (typed: string): void => {
    setText(typed);
    clearTimeout(pause.current);
    const q = typed.trim();
    if (q.length >= 3) pause.current = setTimeout(() => search(q, TYPED), PAUSE_MS);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    search(text.trim(), null);
  };
  return (
    <form role="search" className="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={t.label}
        aria-keyshortcuts="/"
        placeholder={t.hint}
        maxLength={255}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
