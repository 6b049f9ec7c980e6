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

/** The messages of one module by language. A language that lacks a message does not compile. */
export type MessagesByLanguage<Messages> = Readonly<Record<Language, Messages>>;

/** The values of a message's placeholders, by name. */
export type PlaceholderValues = Readonly<Record<string, string>>;

export interface MessagePart {
  /** The name of the placeholder that the text replaces, or null for text of the message itself. */
  readonly placeholder: string | null;
  readonly text: string;
}

/** Replaces the `{placeholders}` of a message. */
export function formatMessage(message: string, values: PlaceholderValues): string {
  return messageParts(message, values)
    .map(({ text }) => text)
    .join('');
}

/** Replaces the `{placeholders}` of a message and returns its parts, so that a template can mark up the values. */
export function messageParts(message: string, values: PlaceholderValues): MessagePart[] {
  return message
    .split(/(\{\w+\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const placeholder = /^\{(\w+)\}$/.exec(text)?.[1];
      return placeholder === undefined
        ? { placeholder: null, text }
        : { placeholder, text: values[placeholder] ?? '' };
    });
}
