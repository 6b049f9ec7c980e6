import { ConfigError } from '../../../src/platform/config/settings';
import { core } from '../../support/core';
import { aUser, logIn, PASSWORD, theAdmin } from '../../support/people';
import { ADMIN, startTestService, TestService } from '../../support/service';

describe('ADMIN_EMAIL and ADMIN_PASSWORD', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const admins = () =>
    service.sql<{ id: string; email: string }>(`SELECT * FROM users WHERE role = 'admin' ORDER BY id`);

  it('create the first admin at the start', async () => {
    expect(await admins()).toMatchObject([{ email: ADMIN.email, status: 'active', account_id: null }]);
    expect((await (await theAdmin(service.api)).api.get('/v1/accounts')).status).toBe(200);
  });

  it('do not change the password, name or email of an existing admin', async () => {
    const admin = await theAdmin(service.api);
    await admin.api.patch(`/v1/users/${admin.id}`, { name: 'Root' });
    const before = await admins();
    const again = await service.replica({
      ADMIN_EMAIL: ADMIN.email.toUpperCase(),
      ADMIN_PASSWORD: 'quite another password',
    });
    try {
      expect(await admins()).toEqual(before);
      expect((await again.api.get('/health/live')).status).toBe(200);
      await logIn(again.api, ADMIN.email, ADMIN.password);
    } finally {
      await again.stop();
    }
  });

  it('do not change another user with the same email', async () => {
    const user = await aUser(service.api);
    const before = await admins();
    const again = await service.replica({
      ADMIN_EMAIL: user.email,
      ADMIN_PASSWORD: 'quite another password',
    });
    try {
      expect(await admins()).toEqual(before);
      expect((await (await logIn(again.api, user.email, PASSWORD)).api.get('/v1/accounts')).status).toBe(403);
    } finally {
      await again.stop();
    }
  });

  it('create one admin when five replicas start concurrently', async () => {
    const empty = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' });
    expect(await empty.sql('SELECT 1 FROM users')).toEqual([]);
    const replicas = await Promise.all(
      Array.from({ length: 5 }, () =>
        empty.replica({ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATABASE_POOL_SIZE: '2' }),
      ),
    );
    try {
      expect(await empty.sql('SELECT role FROM users')).toEqual([{ role: 'admin' }]);
      for (const replica of replicas) await theAdmin(replica.api);
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await empty.stop();
    }
  });

  it.each([{ ADMIN_EMAIL: 'a@example.com' }, { ADMIN_PASSWORD: 'long enough to do' }])(
    'are both required: %j',
    (env) => {
      expect(() => core.readSettings(env)).toThrow(ConfigError);
    },
  );
});
