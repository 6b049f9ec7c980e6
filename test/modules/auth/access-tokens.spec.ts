import { JwtService } from '@nestjs/jwt';
import { createHmac } from 'node:crypto';
import { AccessTokens } from '../../../src/modules/auth/application/access-tokens';
import { keyId, partsOf } from './forged-tokens';

const FIRST = 'the first secret, 32 characters or more';
const SECOND = 'the second secret, 32 characters or more';
const NOW = new Date('2026-03-01T12:00:00.750Z');
const principal = { sessionId: 'ses_1', subjectId: 'usr_1' };

const tokensWith = (...secrets: string[]) => new AccessTokens(new JwtService({}), secrets, 900);

describe('AccessTokens', () => {
  it('signs with the first secret and names its key', () => {
    const token = tokensWith(FIRST, SECOND).sign(principal, NOW);
    const { header, claims } = partsOf(token);
    const iat = Date.parse('2026-03-01T12:00:00Z') / 1000;
    expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: keyId(FIRST) });
    expect(claims).toEqual({
      sub: 'usr_1',
      sid: 'ses_1',
      iat,
      exp: iat + 900,
      iss: 'countinghouse',
      aud: 'countinghouse-api',
    });
    const [head, body, signature] = token.split('.');
    expect(createHmac('sha256', FIRST).update(`${head}.${body}`).digest('base64url')).toBe(signature);
  });

  it('finds the key of every secret, in any order', () => {
    const [ofFirst, ofSecond] = [tokensWith(FIRST), tokensWith(SECOND)].map((tokens) =>
      tokens.sign(principal, NOW),
    );
    for (const tokens of [tokensWith(FIRST, SECOND), tokensWith(SECOND, FIRST)]) {
      expect(tokens.findKey(partsOf(ofFirst!).header)?.export().toString()).toBe(FIRST);
      expect(tokens.findKey(partsOf(ofSecond!).header)?.export().toString()).toBe(SECOND);
    }
    expect(tokensWith(FIRST).findKey(partsOf(ofSecond!).header)).toBeNull();
  });

  it.each([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['an upper-case type', { typ: 'AT+JWT' }],
    ['an unknown key', { kid: 'AAAAAAAA' }],
    ['no key', { kid: undefined }],
    ['an array of keys', { kid: [keyId(FIRST)] }],
    ['a path as the key', { kid: '../../../../dev/null' }],
    ['an object as the key', { kid: { toString: keyId(FIRST) } }],
  ])('returns no key for %s', (_, forged) => {
    const { header } = partsOf(tokensWith(FIRST).sign(principal, NOW));
    expect(tokensWith(FIRST).findKey({ ...header, ...forged })).toBeNull();
  });

  it('verifies a signature once, and the expiry each time', () => {
    const verify = jest.spyOn(JwtService.prototype, 'verify');
    const tokens = tokensWith(FIRST);
    const token = tokens.sign(principal, NOW);
    const end = new Date('2026-03-01T12:15:00Z');
    expect(tokens.recall(token)).toBeNull();
    expect(tokens.verify(token, NOW)).toMatchObject({ sub: 'usr_1', sid: 'ses_1' });
    expect(tokens.recall(token)).toMatchObject({ sid: 'ses_1' });
    expect(tokens.verify(token, new Date(end.getTime() - 1))).not.toBeNull();
    expect(tokens.verify(token, end)).toBeNull();
    expect(verify).toHaveBeenCalledTimes(1);
    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'Q' : 'A'}`;
    expect([tokens.verify(forged, NOW), tokens.recall(forged)]).toEqual([null, null]);
    verify.mockRestore();
  });
});
