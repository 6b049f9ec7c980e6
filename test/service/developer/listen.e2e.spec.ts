import { Webhook } from 'standardwebhooks';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { Compiled } from '../../support/compiled';
import { Developer, modeOf } from '../../support/developer';
import { anOwner, created, Owner } from '../../support/people';
import { aPaymentRequest } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { eventually } from '../../support/until';

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
beforeEach(async () => {
  developer = new Developer();
  expect(await developer.logIn(service, key)).toMatchObject({ code: 0 });
});
afterEach(() => {
  expect(developer.printed).not.toContain(key);
  developer.remove();
});

describe('listen', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());

  const pay = (): Promise<{ id: string }> =>
    created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
  const start = async (args: string): Promise<ReturnType<Compiled['run']>> => {
    const running = compiled.run(args, developer.env);
    await eventually(() => running.out + running.err).toMatch(/Ctrl-C ends it/);
    return running;
  };
  const secretOf = ({ out }: { out: string }): string => /whsec_\S+/.exec(out)![0];

  it('forwards events as an endpoint gets them, until Ctrl-C', async () => {
    await pay(); // before the command begins
    const running = await start(`listen --forward-to ${receiver.url}/hook`);
    const { id } = await pay();
    await eventually(() => running.out).toMatch(new RegExp(`^\\S+Z payment_request.created ${id} 200$`, 'm'));
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
    const event = new Webhook(secretOf(running)).verify(body, headers as Record<string, string>) as {
      id: string;
    };
    const { text } = await owner.api.get(`/v1/events/${event.id}`);
    expect([headers['webhook-id'], headers['content-type'], body]).toEqual([
      event.id,
      'application/json',
      text,
    ]);
    expect(headers['authorization']).toBeUndefined();
    running.signal('SIGINT');
    expect(await running.ended).toBe(0);
    expect(running.out + running.err).not.toContain(key);
  });

  it('keeps its secret between runs, and goes on after a failure', async () => {
    const first = await start(`listen --forward-to ${receiver.url} --events subscription.created`);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    let answers = 0;
    receiver.respond = (response) => response.writeHead((answers += 1) === 1 ? 500 : 204).end();
    const types = 'payment_request.created,payment_request.canceled';
    const running = await start(`listen --forward-to ${receiver.url} --events ${types} --json`);
    const { id } = await pay();
    await owner.api.delete(`/v1/payments/${id}`);
    await eventually(() => running.out).toMatch(/payment_request.canceled.*\n/);
    running.signal('SIGINT');
    expect(await running.ended).toBe(0);
    const [begin, ...lines] = running.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(begin).toEqual({ forward_to: `${receiver.url}/`, secret: secretOf(first) });
    expect(lines.map(({ type, object_id, status }) => [type, object_id, status])).toEqual([
      ['payment_request.created', id, 500],
      ['payment_request.created', id, 204],
      ['payment_request.canceled', id, 204],
    ]);
    expect(modeOf(developer.file)).toBe(0o600);
    expect(developer.stored).toEqual({ url: service.url, api_key: key, webhook_secret: secretOf(first) });
  });

  it('takes a secret, which it does not store', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const running = await start(`listen --forward-to ${receiver.url} --secret ${secret}`);
    await eventually(() => running.out).toContain(secret);
    expect(developer.stored).not.toHaveProperty('webhook_secret');
  });

  it.each([
    ['--forward-to nowhere', '--forward-to must be a URL such as http://localhost:4000/webhooks.\n'],
    [
      '--forward-to http://localhost:1 --secret whsec_c2hvcnQ=',
      '--secret must be whsec_ and 24 to 64 bytes in base64.\n',
    ],
  ])('rejects %s', async (args, message) => {
    expect(await developer.run(`listen ${args}`)).toMatchObject({ code: 2, out: '', err: message });
  });

  it('fails for a type that does not exist, and for a key that was revoked', async () => {
    const unknown = await developer.run(`listen --forward-to ${receiver.url} --events payment.paid`);
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('type must be one of') });
    const settings = { COUNTINGHOUSE_API_KEY: UNKNOWN_KEY };
    expect(await developer.run('events tail', '', settings)).toMatchObject({ code: 1, out: '' });
  });

  it('requests tail prints requests', async () => {
    const running = await start('requests tail');
    expect((await owner.api.delete('/v1/transactions/none')).status).toBe(404);
    await eventually(() => running.out).toMatch(
      /^\S+Z 404 DELETE \/v1\/transactions\/\{transaction_id\} not_found \(\d+ ms\)\n/,
    );
    running.signal('SIGINT');
    expect(await running.ended).toBe(0);
  });

  it('events tail prints them, as JSON too', async () => {
    const running = await start('events tail --type payment_request.created');
    const json = await start('events tail --json');
    const { id } = await pay();
    await eventually(() => running.out).toMatch(new RegExp(`^\\S+Z payment_request.created ${id}\n$`));
    await eventually(() => json.out).toMatch(/\n$/);
    expect(JSON.parse(json.out)).toMatchObject({ type: 'payment_request.created', data: { object: { id } } });
    for (const one of [running, json]) {
      one.signal('SIGINT');
      expect(await one.ended).toBe(0);
    }
  });
});
