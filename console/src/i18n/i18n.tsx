import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { serviceResponds } from '../api/service-responds';
import { Opening } from '../ui/opening';
import { readPreference, writePreference } from '../ui/preferences';
import { isolated } from './directions';
import { messages as english, type Messages } from './messages/en';

/** The languages of the service (src/platform/i18n/messages.ts), by their own names. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
} as const;
export type Language = keyof typeof languages;

/** Loaded when they are chosen, so that the first page has one language. */
const loaders: Readonly<Record<Language, () => Promise<{ messages: Messages }>>> = {
  en: async () => ({ messages: english }),
  de: () => import('./messages/de'),
  fr: () => import('./messages/fr'),
  es: () => import('./messages/es'),
  pt: () => import('./messages/pt'),
};

interface Loaded {
  readonly language: Language;
  readonly t: Messages;
}

async function load(language: Language): Promise<Loaded> {
  return { language, t: (await loaders[language]()).messages };
}

interface I18n extends Loaded {
  /** The language with the region of the browser, for numbers and dates. */
  readonly locale: string;
  /** @returns whether the language is shown; if not, it can be chosen again */
  readonly setLanguage: (language: Language) => Promise<boolean>;
}

const Context = createContext<I18n | null>(null);

export function I18nProvider({ children }: { readonly children: ReactNode }) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const chosen = useRef(initialLanguage());
  useEffect(() => {
    const withoutFile: Loaded = { language: 'en', t: english };
    void load(chosen.current).then(setLoaded, () => setLoaded(withoutFile));
  }, []);
  useEffect(() => {
    if (loaded) document.documentElement.lang = loaded.language;
  }, [loaded]);
  const value = useMemo<I18n | null>(() => {
    if (loaded === null) return null;
    const locale = navigator.languages.find((tag) => languageOf(tag) === loaded.language) ?? loaded.language;
    return { ...loaded, locale, setLanguage };

    async function setLanguage(next: Language): Promise<boolean> {
      chosen.current = next;
      writePreference('language', next);
      try {
        const other = await load(next);
        if (chosen.current === next) setLoaded(other); // unless another one was chosen meanwhile
        return true;
      } catch {
        if (!(await serviceResponds())) return false;
        location.reload(); // browsers keep a failure, and a new release has other files
        return true;
      }
    }
  }, [loaded]);
  return value ? <Context value={value}>{children}</Context> : <Opening />;
}

export function useI18n(): I18n {
  const value = useContext(Context);
  if (value === null) throw new Error('There is no I18nProvider.');
  return value;
}

export function useMessages(): Messages {
  return useI18n().t;
}

/** Replaces the `{placeholders}` of a text. */
export function format(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => isolated(String(values[name] ?? '')));
}

/** Returns the text for a value of the API; a value that a later version has added is shown as it is. */
export function textFor(texts: Readonly<Record<string, string>>, value: string): string {
  return texts[value] ?? value;
}

function initialLanguage(): Language {
  const wanted = [readPreference('language') ?? '', ...navigator.languages];
  return wanted.map(languageOf).find((language) => language !== null) ?? 'en';
}

/** Returns null for other languages, and for names that are no tags: Chromium has `en-US@posix` where LANG is not set. */
function languageOf(tag: string): Language | null {
  try {
    const { language } = new Intl.Locale(tag);
    return language in languages ? (language as Language) : null;
  } catch {
    return null;
  }
}
