import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useMessages } from './i18n/i18n';
import { Icon } from './ui/icons';

/** The one search field. `/` puts the cursor into it. */
export function SearchField() {
  const { search } = useMessages();
  const [location, navigate] = useLocation();
  const [params] = useSearchParams();
  const shown = location === '/search' ? (params.get('q') ?? '') : '';
  const [text, setText] = useState(shown);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(shown), [shown]);
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const q = text.trim();
    if (q !== '') navigate(`/search?q=${encodeURIComponent(q)}`);
  };
  return (
    <form role="search" className="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={search.label}
        aria-keyshortcuts="/"
        placeholder={search.hint}
        maxLength={255}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
