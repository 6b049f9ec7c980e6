import type { Language } from './languages';

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
