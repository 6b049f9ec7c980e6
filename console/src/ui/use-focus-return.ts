import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * Puts the focus, when a dialog has closed, on the button that opened it, or on the heading of the page where that is gone or
 * disabled. The browser drops the focus with such a button.
 * @returns what does it once more when everything was read again, because only then it shows what is still possible
 */
export function useFocusReturn(): () => void {
  const [opener] = useState(() => document.activeElement);
  const isOpen = useRef(true);
  const returnFocus = useCallback(() => {
    afterPaint(() => {
      if (!isOpen.current && isFocusLost()) focus(opener);
    });
  }, [opener]);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      returnFocus();
    };
  }, [returnFocus]);
  return returnFocus;
}

/** Two frames: what was read is shown in the first, and then the browser drops the focus. */
const afterPaint = (act: () => void): void =>
  void requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));

/** Whoever has moved on keeps the focus. */
const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement.matches('body, :disabled');

function focus(opener: Element | null): void {
  if (opener instanceof HTMLElement && opener.isConnected && opener.matches('button:enabled')) {
    opener.focus({ preventScroll: true });
    return;
  }
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
