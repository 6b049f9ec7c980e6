import { chooseLanguage, formatMessage, messageParts } from '../../../src/platform/i18n/messages';

describe('Messages', () => {
  it('never interpret the values of placeholders', () => {
    expect(formatMessage('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&');
  });

  it('split into text and placeholders', () => {
    expect(messageParts('To {a}!', { a: 'x' })).toEqual([
      { placeholder: null, text: 'To ' },
      { placeholder: 'a', text: 'x' },
      { placeholder: null, text: '!' },
    ]);
  });
});

describe('The chosen language', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ja,fr;q=0.5,en;q=0.4', 'fr'],
    ['pt-BR', 'pt'],
    ['ES-mx', 'es'],
    ['en;q=0.1,es;q=0.2', 'es'],
    ['en;q=0,de', 'de'],
  ])('follows Accept-Language: %s gives %s', (header, language) =>
    expect(chooseLanguage(header, 'en')).toBe(language),
  );

  it.each([
    [undefined, 'fr', 'fr'],
    ['*', 'pt-BR', 'pt'],
    ['ja', 'de-CH', 'de'],
    ['', 'es', 'es'],
    ['ja', 'ja', 'en'],
    [undefined, null, 'en'],
    ['nonsense;;;q=x,,', 'de', 'de'],
  ])("falls back to the account's language: %s with %s gives %s", (header, accountLanguage, language) =>
    expect(chooseLanguage(header, accountLanguage)).toBe(language),
  );
});
