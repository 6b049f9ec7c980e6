import { enrol } from '../../modules/auth/second-factors/second-factors';
import { Developer } from '../../support/developer';
import { anOwner, Owner, PASSWORD } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { aKeyboard } from '../../support/terminal';
import { eventually } from '../../support/until';

let service: TestService;
let owner: Owner;
let developer: Developer;

beforeAll(async () => {
  service = await startTestService();
  owner = await anOwner(service.api);
  developer = new Developer({ COUNTINGHOUSE_URL: service.url });
});
afterAll(async () => {
  developer.remove();
  await service.stop();
});

describe('keys create', () => {
  it('logs in as the owner, prints the key, and logs out', async () => {
    const args = `keys create --name Reports --scopes payments:read,webhooks --email ${owner.email} --json`;
    const before = await owner.api.get('/v1/auth/sessions');
    const { code, out } = await developer.run(args, `${PASSWORD}\n`);
    expect(code).toBe(0);
    const { key: issued, scopes } = JSON.parse(out) as { key: string; scopes: string[] };
    expect(scopes).toEqual(['payments:read', 'webhooks']);
    const { body } = await service.api.as(issued).get('/v1/payments');
    expect(body).toHaveProperty('data');
    expect((await owner.api.get('/v1/auth/sessions')).body.data).toHaveLength(before.body.data.length);
  });

  it('refuses a wrong password, and does not print it', async () => {
    const args = `keys create --name Reports --email ${owner.email}`;
    const { code, out, err } = await developer.run(args, 'a wrong password\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^The API key was not created\. /);
    expect(err).not.toContain('a wrong password');
  });

  it('asks for the email, the password and the code on a terminal', async () => {
    const careful = await anOwner(service.api);
    const { recoveryCodes } = await enrol(service, careful);
    const { terminal, type } = aKeyboard(developer.env);
    const ended = developer.runOn(terminal, ['keys', 'create', '--name', 'Web shop']);
    for (const [question, answer] of [
      ['Email of the owner', careful.email],
      ['Password of', PASSWORD],
      ['Code of the second factor', recoveryCodes[0]!],
    ] as const) {
      await eventually(() => terminal.err).toContain(question);
      type(`${answer}\r`);
    }
    expect(await ended).toBe(0);
    expect(terminal.out).toMatch(/^The API key key_\w+ was created, with .*shown only here:\nch_\w{43}\n$/);
    expect(terminal.err).not.toContain(PASSWORD);
    expect(terminal.err).not.toContain(recoveryCodes[0]);
  });

  it.each(['keys create --name Reports', 'keys create --email ada@example.com'])(
    'rejects wrong arguments: %s',
    async (args) => expect(await developer.run(args)).toMatchObject({ code: 2, out: '' }),
  );
});
