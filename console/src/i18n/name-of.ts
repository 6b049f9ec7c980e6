import type { Names } from './messages/names/en';

/**
 * Returns what an event or an action of the audit log is called.
 * @param code an object and a verb, such as `transaction.created`, or one word, such as `login`; one that the console
 *   does not know, such as that of an extension, is returned as it is
 */
export function nameOf({ objects, verbs, actions, separator }: Names, code: string): string {
  const textOf = (texts: Readonly<Record<string, string>>, key: string): string | undefined =>
    Object.hasOwn(texts, key) ? texts[key] : undefined;
  const [object = '', verb] = code.split('.');
  if (verb === undefined) return textOf(actions, code) ?? code;
  const parts = [textOf(objects, object), textOf(verbs, verb)];
  return parts.includes(undefined) ? code : parts.join(separator);
}
