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

/** Applies the theme of the last visit. */
export function applyTheme(theme = readPreference('theme')): void {
  document.documentElement.dataset['theme'] = theme ?? 'system';
}
