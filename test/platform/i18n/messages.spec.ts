import { formatMessage, messageParts } from '../../../src/platform/i18n/messages';

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
