import { JwtService } from '@nestjs/jwt';
import { createHmac } from 'node:crypto';
import { AccessTokens } from '../../src/modules/auth/application/access-tokens';
import { Principal } from '../../src/modules/auth/domain/principal';
import { keyId, partsOf } from './forged-tokens';

const FIRST = 'the first secret, 32 characters or more';
const SECOND = 'the second secret, 32 characters or more';
const NOW = new Date('2026-03-01T12:00:00.750Z');
const principal: Principal = {
  sessionId: 'ses_1',
  userId: 'usr_1',
  openedAccountId: null,
  accountId: null,
  standing: null,
  role: 'user',
  subjectId: 'usr_1',
};

const tokensWith = (...secrets: string[]) => new AccessTokens(new JwtService({}), secrets, 900);

describe('AccessTokens', () => {
  it('signs with the first secret, and says with which', () => {
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

  it('finds the key of every secret, in whatever order', () => {
    const [ofFirst, ofSecond] = [tokensWith(FIRST), tokensWith(SECOND)].map((tokens) =>
      tokens.sign(principal, NOW),
    );
    for (const tokens of [tokensWith(FIRST, SECOND), tokensWith(SECOND, FIRST)]) {
      expect(tokens.keyOf(partsOf(ofFirst!).header)?.export().toString()).toBe(FIRST);
      expect(tokens.keyOf(partsOf(ofSecond!).header)?.export().toString()).toBe(SECOND);
    }
    expect(tokensWith(FIRST).keyOf(partsOf(ofSecond!).header)).toBeNull();
  });

  it.each([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['a type in capitals', { typ: 'AT+JWT' }],
    ['an unknown key', { kid: 'AAAAAAAA' }],
    ['no key', { kid: undefined }],
    ['a list of keys', { kid: [keyId(FIRST)] }],
    ['a path for a key', { kid: '../../../../dev/null' }],
    ['a key as an object', { kid: { toString: keyId(FIRST) } }],
  ])('has no key for %s', (_, forged) => {
    const { header } = partsOf(tokensWith(FIRST).sign(principal, NOW));
    expect(tokensWith(FIRST).keyOf({ ...header, ...forged })).toBeNull();
  });
});
