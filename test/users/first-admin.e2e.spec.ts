import { ConfigError, readConfig } from '../../src/platform/config/config';
import { aUser, logIn, PASSWORD, theAdmin } from '../support/people';
import { ADMIN, startTestService, TestService } from '../support/service';

describe('ADMIN_EMAIL and ADMIN_PASSWORD', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const admins = () =>
    service.sql<{ id: string; email: string }>(`SELECT * FROM users WHERE role = 'admin' ORDER BY id`);

  it('make the first admin at the start', async () => {
    expect(await admins()).toMatchObject([{ email: ADMIN.email, status: 'active', account_id: null }]);
    expect((await (await theAdmin(service.api)).api.get('/v1/accounts')).status).toBe(200);
  });

  it('change nothing when the admin exists: not its password, not its name, not its email', async () => {
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

  it('change nothing when the email is that of another user', async () => {
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

  it('make one admin when ten replicas start at once', async () => {
    const empty = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' });
    expect(await empty.sql('SELECT 1 FROM users')).toEqual([]);
    const ten = await Promise.all(
      Array.from({ length: 10 }, () =>
        empty.replica({ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATABASE_POOL_SIZE: '2' }),
      ),
    );
    try {
      expect(await empty.sql('SELECT role FROM users')).toEqual([{ role: 'admin' }]);
      for (const replica of ten) await theAdmin(replica.api);
    } finally {
      await Promise.all(ten.map((replica) => replica.stop()));
      await empty.stop();
    }
  });

  it.each([{ ADMIN_EMAIL: 'a@example.com' }, { ADMIN_PASSWORD: 'long enough to do' }])(
    'come together: %j',
    (env) => {
      expect(() => readConfig(env)).toThrow(ConfigError);
    },
  );
});
