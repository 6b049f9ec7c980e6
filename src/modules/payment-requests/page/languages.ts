import Negotiator from 'negotiator';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';

/** What a message file must hold; a language that lacks one of these does not compile. */
export type Messages = typeof en;

export const messages = { en, de, fr, es, pt } satisfies Record<string, Messages>;
export type Language = keyof typeof messages;

const languages = Object.keys(messages) as Language[];

/**
 * The language to speak to a visitor: the one of ours that they like best, else the payee's, else English.
 * @param acceptLanguage the header of that name
 * @param preset BCP 47, of the account that asks for the money
 */
export function languageFor(acceptLanguage: string | undefined, preset: string | null): Language {
  const own = languages.find((language) => language === preset?.split('-')[0]?.toLowerCase()) ?? 'en';
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  // Without a preference the first one wins, so the payee's stands first.
  return (negotiator.language([own, ...languages]) as Language | undefined) ?? own;
}

/** A message with its `{places}` filled in. */
export function fill(message: string, values: Readonly<Record<string, string>>): string {
  return pieces(message, values)
    .map(({ text }) => text)
    .join('');
}

/** A message in pieces, so that what is filled in can be marked up; `place` is null for the message's own words. */
export function pieces(
  message: string,
  values: Readonly<Record<string, string>>,
): { readonly place: string | null; readonly text: string }[] {
  return message
    .split(/(\{\w+\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const place = /^\{(\w+)\}$/.exec(text)?.[1];
      return place === undefined ? { place: null, text } : { place, text: values[place] ?? '' };
    });
}
