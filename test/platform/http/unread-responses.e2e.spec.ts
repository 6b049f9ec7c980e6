import { Attack, pipelined } from '../../support/attacks';
import { Compiled } from '../../support/compiled';
import { createDatabase, dropDatabase } from '../../support/databases';
import { until } from '../../support/until';

const HEAP_MB = 192;
const ATTACK_MS = 5000;
/** On a slow machine, the attack lasts until others have got these; the timeout of the test bounds it. */
const RESPONSES = 10;

describe('Clients that pipeline requests and read no responses', () => {
  let compiled: Compiled;
  let database: { name: string; url: string };
  let service: ReturnType<Compiled['run']>;
  let url: string;

  beforeAll(async () => {
    compiled = Compiled.create();
    database = await createDatabase();
  });
  beforeEach(async () => {
    service = compiled.run('start', {
      DATABASE_URL: database.url,
      JWT_SECRETS: 'a test secret that is only used in tests',
      PORT: '0',
      LOG_LEVEL: 'silent',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    });
    expect(await until(() => / listens on \S+\n/.test(service.out))).toBe(true);
    url = / listens on (\S+)/.exec(service.out)![1]!;
  });
  afterEach(async () => {
    service.signal('SIGTERM');
    await service.ended;
  });
  afterAll(async () => {
    compiled.remove();
    await dropDatabase(database.name);
  });

  it.each([
    ['of the largest document', pipelined(1400, '/openapi.json')],
    [
      'with changing tokens',
      pipelined(1400, '/v1/users/me', (index) => `Authorization: Bearer ${index}\r\n`),
    ],
  ])('%s neither fill the memory nor keep others from being served', async (_, requests) => {
    await fetch(`${url}/openapi.json`);
    const beforeMb = service.residentMb();
    const attack = new Attack(url);
    attack.sendUnread(16, requests);
    const end = performance.now() + ATTACK_MS;
    let served = 0;
    try {
      while (performance.now() < end || served < RESPONSES) {
        const response = await fetch(`${url}/openapi.json`);
        expect([response.status, await response.json()]).toEqual([
          200,
          expect.objectContaining({ openapi: '3.1.0' }),
        ]);
        served += 1;
      }
      expect(service.residentMb()).toBeLessThan(beforeMb + HEAP_MB);
    } finally {
      attack.stop();
    }
  });
});
