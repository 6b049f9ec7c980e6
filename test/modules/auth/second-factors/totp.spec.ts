import { newTotpSecret, totpStep, totpUri } from '../../../../src/modules/auth/second-factors/second-factor';
import { codeAt } from '../../../support/authenticator';

/** The ASCII secret `12345678901234567890` of RFC 6238, appendix B, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('totpStep', () => {
  it.each([
    [59, '287082', 0x1],
    [1111111109, '081804', 0x23523ec],
    [1111111111, '050471', 0x23523ed],
    [1234567890, '005924', 0x273ef07],
    [2000000000, '279037', 0x3f940aa],
    [20000000000, '353130', 0x27bc86aa],
  ])('accepts the code of RFC 6238 at %i seconds', (seconds, code, step) => {
    expect(totpStep(SECRET, code, at(seconds))).toBe(step);
    expect(codeAt(SECRET, at(seconds))).toBe(code);
  });

  it.each([
    [-60, null],
    [-30, 99],
    [0, 100],
    [30, 101],
    [60, null],
  ])('with a clock that differs by %i seconds returns %p', (drift, step) => {
    expect(totpStep(SECRET, codeAt(SECRET, at(3000 + drift)), at(3000))).toBe(step);
  });

  it.each(['', '28708', '2870820', '287083', '94287082', ' 287082'])('rejects %j', (code) => {
    expect(totpStep(SECRET, code, at(59))).toBeNull();
  });
});

describe('newTotpSecret', () => {
  it('returns 160 random bits in base32', () => {
    const secrets = new Set(Array.from({ length: 100 }, newTotpSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });
});

describe('totpUri', () => {
  it('contains what an authenticator app needs', () => {
    const uri = new URL(totpUri(SECRET, 'ada+1@example.com'));
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Countinghouse:ada+1@example.com',
    ]);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'Countinghouse',
      secret: SECRET,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
