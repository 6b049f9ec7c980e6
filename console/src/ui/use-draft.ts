import { useCallback, useState } from 'react';
import { discardDrafts, draftsOf } from '../session/drafts';
import { useUser } from '../session/use-session';

/**
 * What is typed into a field, as `useState` keeps it, and beyond the end of the session: whoever signs in again in this tab
 * finds what they have not sent. Never for passwords and other secrets.
 * @param form what the field is part of, with the id of what it is about
 */
export function useDraft<Text extends string = string>(form: string, field: string, initial?: Text) {
  const key = draftsOf(useUser().id, form) + field;
  const empty = initial ?? ('' as Text);
  const [value, setValue] = useState(() => (sessionStorage.getItem(key) as Text | null) ?? empty);
  const change = (next: Text): void => {
    setValue(next);
    if (next === empty) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [value, change] as const;
}

/** Forgets what was typed into a form, once it is sent or left. */
export function useDiscardDraft(): (form: string) => void {
  const { id } = useUser();
  return useCallback((form) => discardDrafts(draftsOf(id, form)), [id]);
}
