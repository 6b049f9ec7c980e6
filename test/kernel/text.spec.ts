import {
  countCharacters,
  displayText,
  emailKey,
  hasVisibleCharacter,
  isUnambiguousEmail,
} from '../../src/kernel/text';

describe('displayText', () => {
  it.each([
    ['line breaks', 'a\r\nb\u2028c\u2029d\u0085e\vf', 'a b c d e f'],
    ['other control characters', 'a\u0000b\u001bc\u007fd', 'a b c d'],
    ['bidirectional overrides and invisible characters', 'a\u202eb\u2066c\u200bd\ufeffe\u00ad', 'abcde'],
    ['fillers and blank characters', 'a\u3164b\u034fc\u2800d\u{e0041}', 'abc d'],
    ['surrounding white space', '  a \t b  ', 'a b'],
  ])('removes %s', (_, text, line) => expect(displayText(text)).toBe(line));

  it.each([
    ['ａｄａ＠ｂａｎｋ․ｅｘａｍｐｌｅ', 'ada@bank.example'],
    ['𝐁𝐚𝐧𝐤', 'Bank'],
    ['№ ﬁve…', 'No five...'],
  ])('replaces compatibility characters: %s', (text, line) => expect(displayText(text)).toBe(line));

  it.each([
    '=?utf-8?Q?=E2=80=AEpay?=',
    '＝？utf-8?B?YUBiLmV4YW1wbGU=?=',
    '=\u200b?utf-8?Q?x?=',
    '=?=?utf-8?Q?x?=',
  ])('breaks encoded words: %s', (text) => expect(displayText(text)).not.toContain('=?'));

  it('keeps what an encoded word says', () => expect(displayText('=?x')).toBe('= ?x'));

  it('changes nothing the second time', () => {
    for (const text of ['=?=?', 'ﷺ', ' a\u0308＠\u2800', '\u1100\u1161'])
      expect(displayText(displayText(text))).toBe(displayText(text));
  });

  it.each(['Ünïcode & Søn', 'می\u200cخواهم', '👩\u200d🔧 Repairs'])('keeps %s', (text) =>
    expect(displayText(text)).toBe(text),
  );
});

describe('isUnambiguousEmail', () => {
  it.each([
    'ada@example.com',
    'Ünï.cøde+1@bücher.example',
    'u\u0308@example.com',
    "o'brien@example.com",
    '伊@例え.jp',
  ])('accepts %s', (email) => expect(isUnambiguousEmail(email)).toBe(true));

  it.each([
    ['a control character', 'a\u0001da@example.com'],
    ['a line break', 'ada@example.com\n'],
    ['a line separator', 'a\u2028da@example.com'],
    ['a paragraph separator', 'a\u2029da@example.com'],
    ['a zero-width space', 'ad\u200ba@example.com'],
    ['a zero-width joiner', 'ad\u200da@example.com'],
    ['a bidirectional override', '\u202eada@example.com'],
    ['a bidirectional isolate', '\u2066ada@example.com'],
    ['a soft hyphen', 'ad\u00ada@example.com'],
    ['a byte order mark', '\ufeffada@example.com'],
    ['a no-break space', 'ad\u00a0a@example.com'],
    ['a Hangul filler', 'ad\u3164a@example.com'],
    ['a combining grapheme joiner', 'ad\u034fa@example.com'],
    ['a blank Braille pattern', 'ad\u2800a@example.com'],
    ['a private character', 'ad\ue000a@example.com'],
    ['a full-width letter', 'ａda@example.com'],
    ['a ligature', 'oﬃce@example.com'],
    ['a quoted part', '"a b"@example.com'],
    ['a quoted letter', 'a\\da@example.com'],
    ['brackets', 'a<da@evil.example>@example.com'],
    ['an encoded word', '=?utf-8?q?ada=40evil.example=3e?=@example.com'],
  ])('rejects %s', (_, email) => expect(isUnambiguousEmail(email)).toBe(false));
});

describe('emailKey', () => {
  it('is the same for all spellings of an email', () => {
    const spellings = ['Ünï@example.com', 'ÜNÏ@EXAMPLE.COM', 'u\u0308ni\u0308@example.com'];
    expect(new Set(spellings.map(emailKey)).size).toBe(1);
    expect(['ΑΣ@x', 'ας@x', 'ασ@x'].map(emailKey)).toEqual(['ασ@x', 'ασ@x', 'ασ@x']);
    expect(['J\u030ca@x', 'ǰA@x', 'ǰa@x'].map(emailKey)).toEqual(['ǰa@x', 'ǰa@x', 'ǰa@x']);
    const [composed, decomposed] = ['ǖ'.repeat(254), 'u\u0308\u0304'.repeat(254)];
    expect(emailKey(decomposed)).toBe(composed);
  });

  it('does not normalize a text that is too long for an email, since that takes long', () => {
    const text = `a${'\u0301\u0316'.repeat(12_000)}`;
    expect(text.normalize('NFC')).not.toBe(text);
    expect(emailKey(text)).toBe(text);
  });
});

describe('countCharacters', () => {
  it.each([
    ['', 0],
    ['Ada', 3],
    ['Émilie', 6],
    ['🦊🐻', 2],
    ['lone \ud800 surrogate', 16],
  ])('%j has %i', (text, count) => expect(countCharacters(text)).toBe(count));
});

describe('hasVisibleCharacter', () => {
  it.each(['', ' ', '\t\r\n', '\u00a0\u3000', '\u200b\u200d\ufeff', '\u2800', '\u3164', '\ufe0f', '\u0000'])(
    '%j has none',
    (text) => expect(hasVisibleCharacter(text)).toBe(false),
  );

  it.each(['.', ' a ', '\u200bé', '💶', '👩\u200d🚀', 'क', '1\n'])('%j has one', (text) =>
    expect(hasVisibleCharacter(text)).toBe(true),
  );
});
