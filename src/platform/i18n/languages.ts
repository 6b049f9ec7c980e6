import Negotiator from 'negotiator';

/** The languages that customers can read. Each module keeps a message file per language. */
export const languages = ['en', 'de', 'fr', 'es', 'pt'] as const;
export type Language = (typeof languages)[number];

/**
 * Chooses the supported language that a visitor prefers, by default the account's, else English.
 * @param acceptLanguage the `Accept-Language` header
 * @param accountLanguage BCP 47
 */
export function chooseLanguage(acceptLanguage: string | undefined, accountLanguage: string | null): Language {
  const preferred = accountLanguage?.split('-')[0]?.toLowerCase();
  const fallback = languages.find((language) => language === preferred) ?? 'en';
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  // Without a preference the negotiator returns the first entry.
  return (negotiator.language([fallback, ...languages]) as Language | undefined) ?? fallback;
}
