import { useState } from 'react';

/** What a person prefers on this device. Nothing of the session is ever kept here. */
type Preference = 'language' | 'theme';

const keyOf = (name: Preference): string => `countinghouse.console.${name}`;

export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return null; // the browser allows no storage
  }
}

export function writePreference(name: Preference, value: string): void {
  try {
    localStorage.setItem(keyOf(name), value);
  } catch {
    // it is forgotten with the page
  }
}

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Applies the theme of the last visit. */
export function applyTheme(theme = readPreference('theme')): void {
  document.documentElement.dataset['theme'] = theme ?? 'system';
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((one) => one === readPreference('theme')) ?? 'system',
  );
  const choose = (next: Theme): void => {
    writePreference('theme', next);
    applyTheme(next);
    setTheme(next);
  };
  return [theme, choose];
}
