import { emailKey } from '../../src/modules/auth/domain/credential';

describe('emailKey', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ÉMILE@EXAMPLE.COM', 'émile@example.com'],
    ['e\u0301mile@example.com', '\u00e9mile@example.com'],
    ['E\u0301MILE@example.com', 'émile@example.com'],
    ['ЖУК@example.com', 'жук@example.com'],
  ])('takes %s for %s', (one, other) => {
    expect(emailKey(one)).toBe(emailKey(other));
  });

  it.each([
    ['ada@example.com', 'ada@example.org'],
    ['a.da@example.com', 'ada@example.com'],
    ['ada+books@example.com', 'ada@example.com'],
    ['ada@example.com ', 'ada@example.com'],
    ['emile@example.com', 'émile@example.com'],
    ['', ' '],
  ])('does not take %j for %j', (one, other) => {
    expect(emailKey(one)).not.toBe(emailKey(other));
  });

  it('takes a key for itself', () => {
    for (const email of ['Ada@Example.com', 'E\u0301MILE@EXAMPLE.COM', 'STRASSE@x.de', 'İ@x.tr', '']) {
      expect(emailKey(emailKey(email))).toBe(emailKey(email));
    }
  });
});
