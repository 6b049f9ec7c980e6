import { useState } from 'react';
import { applyTheme, readPreference, writePreference } from './preferences';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

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
