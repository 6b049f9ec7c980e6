import { ApiKey, NewApiKey, requireOwnAccount } from '../../../../src/modules/accounts/api-keys/api-key';
import { hashToken, Principal } from '../../../../src/modules/auth';
import { coreScopes } from '../../../../src/modules/auth/domain/api-key-check';
import { ApiScopes } from '../../../../src/platform/config/api-scopes';

const noon = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);
const DEVICE = { ip: '203.0.113.7', userAgent: 'a program', requestId: 'req_1' };

const issue = (terms: Partial<NewApiKey> = {}, accountId: string | null = 'acc_1') =>
  ApiKey.issue(
    accountId,
    { name: 'Shop', scopes: ['transactions:read'], apiVersion: '2026-11-20', ...terms },
    noon,
  );

describe('An API key', () => {
  it('has 43 random characters, of which only a hash and the last four are stored', () => {
    const issued = Array.from({ length: 100 }, () => issue());
    expect(new Set(issued.map(({ key }) => key)).size).toBe(100);
    for (const { key, record } of issued) {
      expect(key).toMatch(/_[0-9A-Za-z]{43}$/);
      expect(record).toMatchObject({ hash: hashToken(key), lastFour: key.slice(-4) });
      expect(JSON.stringify(record)).not.toContain(key);
    }
    const used = new Set(issued.flatMap(({ key }) => [...key.slice(-43)]));
    expect(used.size).toBe(62);
  });

  it('works from anywhere and for ever unless it is told otherwise', () => {
    expect(issue().record).toMatchObject({
      id: expect.stringMatching(/^key_/),
      name: 'Shop',
      scopes: ['transactions:read'],
      allowedAddresses: [],
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: noon,
    });
    expect(issue().record.allows('198.51.100.1')).toBe(true);
    expect(issue().record.isLive(after(1e12))).toBe(true);
  });

  it('works from its addresses only', () => {
    const { record } = issue({ allowedAddresses: ['203.0.113.0/24'] });
    expect([record.allows('203.0.113.9'), record.allows('198.51.100.1')]).toEqual([true, false]);
  });

  it('is live until it expires', () => {
    const { record } = issue({ expiresAt: after(5) });
    expect([record.isLive(after(4)), record.isLive(after(5))]).toEqual([true, false]);
  });

  it.each([0, -1])('cannot expire %d ms after now', (ms) => {
    expect(() => issue({ expiresAt: after(ms) })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each([
    ['user', 'acc_1', 'member'],
    ['platform', null, null],
  ] as const)('with the role %s acts for the account %s', (role, accountId, membershipRole) => {
    const { record } = issue({}, accountId);
    expect(record.principal(DEVICE, new ApiScopes(coreScopes))).toEqual({
      pinnedVersion: '2026-11-20',
      sessionId: null,
      userId: null,
      openedAccountId: null,
      accountId,
      membershipRole,
      role,
      secondFactor: false,
      subjectId: record.id,
      device: DEVICE,
      authenticatedAt: new Date(0),
      scopes: ['transactions:read', 'requests:read', 'account:read'],
    });
    record.revoke(after(5));
    expect([record.isLive(after(5)), record.revokedAt]).toEqual([false, after(5)]);
    expect(record.takeEvents()).toEqual([
      { type: 'api_key.created', accountId },
      { type: 'api_key.revoked', accountId },
    ]);
  });
});

describe('API keys are managed by', () => {
  it.each([
    ['acc_1', 'owner', 'acc_1'],
    ['acc_1', 'member', null],
    [null, 'owner', null],
    [null, null, null],
  ] as const)('a caller with the account %s and the membership %s: %s', (accountId, membershipRole, own) => {
    const check = () => requireOwnAccount({ accountId, membershipRole } as Principal);
    if (own === null) expect(check).toThrow(expect.objectContaining({ code: 'forbidden' }));
    else expect(check()).toBe(own);
  });
});
