import { type RefObject, useEffect, useRef } from 'react';

/** Puts the focus on an element when it is first shown, so that readers begin with it. It needs a `tabIndex` of -1. */
export function useFocusOnce<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    // After a dialog has returned the focus to the button that opened it.
    const timer = setTimeout(() => element.current?.focus({ preventScroll: true }), 100);
    return () => clearTimeout(timer);
  }, []);
  return element;
}
