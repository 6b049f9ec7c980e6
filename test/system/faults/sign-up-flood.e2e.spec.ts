import { setTimeout as delay } from 'node:timers/promises';
import { aUser, PASSWORD, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { isLong, LIMIT_MS, repetitions, report, summaryOf } from './support/form';

/** One client that sends 100 sign-ups a second, with an email in use and with new emails. */
jest.setTimeout(LIMIT_MS);

const SIGN_UPS_PER_SECOND = 100;
/** In the short form, other suites run at the same time. */
const MAX_LOGIN_SECONDS = isLong ? 1 : 5;
/**
 * On a slow machine, in relation to logins without sign-ups. A login that waited for its turn behind all sign-ups would
 * take a hundred times as long.
 */
const MAX_SLOWDOWN = 20;
const QUIET_LOGINS = 5;

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1', BCRYPT_COST: '10', SIGN_UP_LIMIT: '0' });
});
afterAll(() => service.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

it.each(['an email in use', 'new emails'])(
  `${SIGN_UPS_PER_SECOND} sign-ups a second with %s: logins from elsewhere take less than ${MAX_LOGIN_SECONDS} s, or ${MAX_SLOWDOWN} times as long as before`,
  async (emails) => {
    const { email } = await aUser(service.api);
    const timeLogins = async (count: number): Promise<number[]> => {
      const seconds: number[] = [];
      while (seconds.length < count) {
        const start = performance.now();
        const body = { email, password: PASSWORD };
        expect((await service.api.post('/v1/auth/login', body, from('203.0.113.5'))).status).toBe(200);
        seconds.push((performance.now() - start) / 1000);
      }
      return seconds;
    };
    const quietSeconds = Math.min(...(await timeLogins(QUIET_LOGINS)));
    const responses: Promise<number>[] = [];
    const flood = setInterval(() => {
      const body = { email: emails === 'new emails' ? someEmail() : email, password: PASSWORD };
      responses.push(service.api.post('/v1/users', body, from('203.0.113.4')).then(({ status }) => status));
    }, 1000 / SIGN_UPS_PER_SECOND);
    await delay(1000);
    const seconds = await timeLogins(repetitions({ short: 5, long: 200 }));
    clearInterval(flood);
    const statuses = await Promise.all(responses);
    report(`logins during sign-ups with ${emails}`, { signUps: statuses.length, ...summaryOf(seconds) });
    expect(statuses.filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
    expect(Math.max(...seconds)).toBeLessThan(Math.max(MAX_LOGIN_SECONDS, MAX_SLOWDOWN * quietSeconds));
  },
);
