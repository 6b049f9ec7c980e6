import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { Compiled } from '../../support/compiled';
import { Developer, modeOf } from '../../support/developer';
import { anOwner, created, Owner, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const UNKNOWN_KEY = `ch_${'x'.repeat(43)}`;

let service: TestService;
let owner: Owner;
let key: string;
let developer: Developer;
let compiled: Compiled;

beforeAll(async () => {
  service = await startTestService();
  owner = await anOwner(service.api);
  ({ key } = await created(owner.api, '/v1/api-keys', { name: 'Test' }));
  compiled = new Compiled();
});
afterAll(async () => {
  compiled.stop();
  await service.stop();
});
beforeEach(() => {
  developer = new Developer();
});
afterEach(() => {
  expect(developer.printed).not.toContain(key);
  developer.remove();
});

describe('login', () => {
  it('stores the key in a file that only the user can read', async () => {
    mkdirSync(developer.folder, { mode: 0o755 });
    expect(await developer.logIn(service, key)).toMatchObject({
      code: 0,
      out: `Logged in to ${service.url} for ${owner.accountId}. ${developer.file} has the key.\n`,
      err: '',
    });
    expect(developer.stored).toEqual({ url: service.url, api_key: key });
    expect([developer.folder, developer.file].map(modeOf)).toEqual([0o700, 0o600]);
    expect(readdirSync(developer.folder)).toEqual(['config.json']);
  });

  it('accepts a platform key, which has no account', async () => {
    const { api: admin } = await theAdmin(service.api);
    const { key: platform } = await created(admin, '/v1/api-keys', { name: 'Rails', role: 'platform' });
    const { code, out } = await developer.run(`login --url ${service.url}/ --json`, platform);
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { url: service.url, account_id: null } });
    expect(developer.stored).toEqual({ url: service.url, api_key: platform });
  });

  it('takes the address from COUNTINGHOUSE_URL, and replaces a damaged file', async () => {
    mkdirSync(developer.folder);
    writeFileSync(developer.file, 'no JSON');
    expect(await developer.run('get /v1/account')).toMatchObject({ code: 1 });
    expect(await developer.run('login', key, { COUNTINGHOUSE_URL: service.url })).toMatchObject({ code: 0 });
    expect(developer.stored).toEqual({ url: service.url, api_key: key });
  });

  it('refuses a wrong key, and stores nothing', async () => {
    const { code, out, err } = await developer.run(`login --url ${service.url}`, UNKNOWN_KEY);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^The API key was not stored\. \w.*\n$/);
    expect(err).not.toContain(UNKNOWN_KEY);
    expect(readdirSync(developer.env['XDG_CONFIG_HOME']!)).toEqual([]);
  });

  it.each([
    ['', 'There is no API key: write it to the standard input.\n'],
    ['a password', 'This is no API key: ch_ and 43 letters and digits.\n'],
  ])('refuses %j without sending it', async (input, message) => {
    expect(await developer.run(`login --url ${service.url}`, input)).toMatchObject({ code: 2, err: message });
  });

  it.each(['nowhere', 'ftp://example.com', 'http://user:password@example.com'])(
    'refuses the address %s',
    async (url) => {
      const { code, err } = await developer.run(`login --url ${url}`, key);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'The address of the service must be like http://localhost:3000.\n',
      });
    },
  );
});

describe('logout', () => {
  it('deletes the key', async () => {
    await developer.logIn(service, key);
    expect(await developer.run('logout')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Logged out/),
    });
    expect(readdirSync(developer.folder)).toEqual([]);
    expect(await developer.run('get /v1/account')).toMatchObject({ code: 2 });
    expect((await developer.run('logout --json')).out).toBe('{"deleted":false}\n');
  });
});

describe('get', () => {
  it('prints the response', async () => {
    await developer.logIn(service, key);
    const { code, out, err } = await developer.run('get /v1/account');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.startsWith(`{\n  "id": "${owner.accountId}",\n`)).toBe(true);
    expect((await developer.run('get /v1/account --json')).out).toMatch(/^\{"id":.*\}\n$/);
  });

  it('prints an error to the standard error', async () => {
    await developer.logIn(service, key);
    const { code, out, err } = await developer.run('get /v1/transactions/nothing');
    expect({ code, out, error: JSON.parse(err) }).toEqual({
      code: 1,
      out: '',
      error: { error: 'not_found', message: expect.any(String) },
    });
  });

  it('lets the environment override the file', async () => {
    await developer.logIn(service, key);
    const wrong = await developer.run('get /v1/account', '', { COUNTINGHOUSE_API_KEY: UNKNOWN_KEY });
    expect({ code: wrong.code, error: JSON.parse(wrong.err).error }).toEqual({
      code: 1,
      error: 'unauthorized',
    });
    const settings = { COUNTINGHOUSE_API_KEY: key, COUNTINGHOUSE_URL: service.url };
    await developer.run('logout');
    expect(await developer.run('get /v1/account', '', settings)).toMatchObject({ code: 0 });
  });

  it('needs no settings of the service, in a process of its own', async () => {
    await developer.logIn(service, key);
    const running = compiled.run('get /v1/account', developer.env);
    expect(await running.ended).toBe(0);
    expect(JSON.parse(running.out)).toHaveProperty('id', owner.accountId);
  });
});
