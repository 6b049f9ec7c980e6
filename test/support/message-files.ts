import { Language, languages, MessagesByLanguage } from '../../src/platform/i18n/messages';

/** Declares tests that every language has the same messages with the same placeholders. */
export function testMessageFiles(messages: MessagesByLanguage<object>): void {
  const english = textsOf(messages.en);

  it.each<Language>([...languages])('the messages of %s are complete', (language) => {
    const texts = textsOf(messages[language]);
    expect(texts.map(([path]) => path)).toEqual(english.map(([path]) => path));
    expect(texts.map(([, text]) => placeholders(text))).toEqual(
      english.map(([, text]) => placeholders(text)),
    );
    expect(texts.filter(([, text]) => text.trim() === '')).toEqual([]);
  });
}

function placeholders(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

/** All texts with their paths. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([key, member]) => textsOf(member, `${path}.${key}`));
}
