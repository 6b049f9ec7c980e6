import { oneLine } from '../../src/kernel/text';

describe('a text brought to one line', () => {
  it.each([
    ['line breaks', 'a\r\nb\u2028c\u2029d\u0085e\vf', 'a b c d e f'],
    ['other controls', 'a\u0000b\u001bc\u007fd', 'a b c d'],
    ['marks that turn the text around or cannot be seen', 'a\u202eb\u2066c\u200bd\ufeffe\u00ad', 'abcd e'],
    ['spaces around it', '  a \t b  ', 'a b'],
  ])('loses %s', (_, text, line) => expect(oneLine(text)).toBe(line));

  it.each(['Ünïcode & Søn', 'می\u200cخواهم', '👩\u200d🔧 Repairs'])('keeps %s', (text) =>
    expect(oneLine(text)).toBe(text),
  );
});
