import { Api } from '../../../support/api';
import { codeAt } from '../../../support/authenticator';
import { aUser, logIn, PASSWORD, Person } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { Enrolled, enrol, outcome, wrongCodeOf } from './second-factors';

const OTP_REQUIRED = [401, 'otp_required'];
const WRONG = [401, 'invalid_credentials'];

describe('A second factor', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  const attempt = (email: string, otp?: string, password = PASSWORD, on = api) =>
    on.post('/v1/auth/login', { email, password, otp });
  const isLive = async (person: Person) => (await person.api.get('/v1/auth/sessions')).status === 200;
  const state = async (person: Person) => (await person.api.get('/v1/auth/otp')).body;

  describe('is enrolled', () => {
    it('with a secret, a URI and a QR code, and takes effect with its confirmation', async () => {
      const user = await aUser(api);
      expect(await state(user)).toEqual({ enabled: false, confirmed_at: null, recovery_codes_left: 0 });
      const { status, body, headers } = await user.api.post('/v1/auth/otp', { password: PASSWORD });
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(Object.keys(body)).toEqual(['secret', 'uri', 'qr_code']);
      expect(new URL(body.uri).searchParams.get('secret')).toBe(body.secret);
      expect(Buffer.from(body.qr_code.split('data:image/png;base64,')[1], 'base64').subarray(1, 4)).toEqual(
        Buffer.from('PNG'),
      );
      expect(outcome(await attempt(user.email))).toEqual([200]);
      const otp = codeAt(body.secret, service.clock.now());
      const confirmed = await user.api.post('/v1/auth/otp/confirmation', { otp });
      expect(confirmed.body.recovery_codes).toHaveLength(10);
      expect(confirmed.headers.get('cache-control')).toBe('no-store');
      expect(outcome(await attempt(user.email))).toEqual(OTP_REQUIRED);
      expect(await state(user)).toEqual({
        enabled: true,
        confirmed_at: expect.any(String),
        recovery_codes_left: 10,
      });
    });

    it('only with the current password and the right code', async () => {
      const user = await aUser(api);
      expect(outcome(await user.api.post('/v1/auth/otp', { password: 'a wrong horse battery' }))).toEqual(
        WRONG,
      );
      const early = await user.api.post('/v1/auth/otp/confirmation', { otp: '123456' });
      expect(outcome(early)).toEqual([409, 'conflict']);
      const { body } = await user.api.post('/v1/auth/otp', { password: PASSWORD });
      const otp = wrongCodeOf({ secret: body.secret } as Enrolled, service.clock.now());
      expect(outcome(await user.api.post('/v1/auth/otp/confirmation', { otp }))).toEqual(WRONG);
      expect(outcome(await attempt(user.email))).toEqual([200]);
    });

    it('and ends the other sessions, which were opened without it', async () => {
      const user = await aUser(api);
      const other = await logIn(api, user.email);
      await enrol(service, user);
      expect([await isLive(user), await isLive(other)]).toEqual([true, false]);
    });

    it('anew only with a code of the current one, which stays in effect until the confirmation', async () => {
      const old = await enrol(service, await aUser(api));
      const { person } = old;
      const begin = (otp?: string) => person.api.post('/v1/auth/otp', { password: PASSWORD, otp });
      expect(outcome(await begin())).toEqual(OTP_REQUIRED);
      expect(outcome(await begin(wrongCodeOf(old, service.clock.now())))).toEqual(WRONG);
      const { body } = await begin(old.nextCode());
      expect(outcome(await attempt(person.email, codeAt(body.secret, service.clock.now())))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, old.nextCode()))).toEqual([200]);
      const otp = codeAt(body.secret, service.clock.now());
      expect(outcome(await person.api.post('/v1/auth/otp/confirmation', { otp }))).toEqual([200]);
      expect(outcome(await attempt(person.email, old.nextCode()))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, old.recoveryCodes[0]))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, codeAt(body.secret, service.clock.now())))).toEqual([200]);
    });
  });

  describe('at a login', () => {
    it('is asked for only after the right password', async () => {
      const { person, nextCode } = await enrol(service, await aUser(api));
      expect(outcome(await attempt(person.email, undefined, 'a wrong horse battery'))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, nextCode(), 'a wrong horse battery'))).toEqual(WRONG);
      expect(outcome(await attempt(person.email))).toEqual(OTP_REQUIRED);
      expect(outcome(await attempt(person.email, nextCode()))).toEqual([200]);
    });

    it('is ignored for a user who has none', async () => {
      const user = await aUser(api);
      expect(outcome(await attempt(user.email, '123456'))).toEqual([200]);
    });

    it.each([
      [-60, WRONG],
      [-30, [200]],
      [0, [200]],
      [30, [200]],
      [60, WRONG],
    ])('accepts the code of a clock that differs by %i seconds: %p', async (seconds, expected) => {
      const { person, secret } = await enrol(service, await aUser(api));
      // The middle of a time step, so that the request arrives in the same step.
      const intoStep = (service.clock.now().getTime() / 1000) % 30;
      service.clock.move({ minutes: 5, seconds: 15 - intoStep });
      const code = codeAt(secret, new Date(service.clock.now().getTime() + seconds * 1000));
      expect(outcome(await attempt(person.email, code))).toEqual(expected);
    });

    it('accepts a code once, also spelled with a space', async () => {
      const { person, nextCode } = await enrol(service, await aUser(api));
      const code = nextCode();
      const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
      expect(outcome(await attempt(person.email, spaced))).toEqual([200]);
      expect(outcome(await attempt(person.email, code))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, nextCode()))).toEqual([200]);
    });

    it('does not accept the code that confirmed it', async () => {
      const user = await aUser(api);
      const before = service.clock.now(); // a moment later, there may be another code
      const { person, secret } = await enrol(service, user);
      expect(outcome(await attempt(person.email, codeAt(secret, before)))).toEqual(WRONG);
    });

    it('accepts each recovery code once', async () => {
      const { person, recoveryCodes } = await enrol(service, await aUser(api));
      const [first, second] = recoveryCodes as [string, string];
      expect(outcome(await attempt(person.email, first.toLowerCase()))).toEqual([200]);
      expect(outcome(await attempt(person.email, first))).toEqual(WRONG);
      expect(outcome(await attempt(person.email, second))).toEqual([200]);
      expect((await state(person)).recovery_codes_left).toBe(8);
    });

    it.each(['a code', 'a recovery code'])(
      'accepts %s once on two replicas at the same time',
      async (kind) => {
        const { person, nextCode, recoveryCodes } = await enrol(service, await aUser(api));
        const code = kind === 'a code' ? nextCode() : recoveryCodes[0]!;
        const replica = await service.replica();
        try {
          replica.clock.move({ seconds: (service.clock.now().getTime() - Date.now()) / 1000 });
          const replies = await Promise.all(
            [api, replica.api, api, replica.api].map((on) => attempt(person.email, code, PASSWORD, on)),
          );
          expect(replies.map(outcome).toSorted()).toEqual([[200], WRONG, WRONG, WRONG]);
        } finally {
          await replica.stop();
        }
      },
    );

    it('allows 5 wrong codes an hour, also concurrently, and a recovery code after them', async () => {
      const enrolled = await enrol(service, await aUser(api));
      const { person, recoveryCodes } = enrolled;
      const wrong = wrongCodeOf(enrolled, service.clock.now());
      const replies = await Promise.all(Array.from({ length: 12 }, () => attempt(person.email, wrong)));
      const statuses = replies.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
      const limited = await attempt(person.email, enrolled.nextCode());
      expect(outcome(limited)).toEqual([429, 'rate_limited']);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3500);
      expect(outcome(await attempt(person.email, recoveryCodes[0]))).toEqual([200]);
      service.clock.move({ minutes: 61 });
      expect(outcome(await attempt(person.email, enrolled.nextCode()))).toEqual([200]);
    });

    it.each(['a code', 'a recovery code'])(
      'does not count %s that is used again as a wrong code',
      async (kind) => {
        const { person, nextCode, recoveryCodes } = await enrol(service, await aUser(api));
        const code = kind === 'a code' ? nextCode() : recoveryCodes[0]!;
        const replies = await Promise.all(Array.from({ length: 8 }, () => attempt(person.email, code)));
        expect(replies.map(outcome).toSorted()).toEqual([[200], ...Array(7).fill(WRONG)]);
        expect(outcome(await attempt(person.email, nextCode()))).toEqual([200]);
      },
    );

    it.each(['a code', 'a recovery code'])('counts wrong codes anew after %s is accepted', async (kind) => {
      const enrolled = await enrol(service, await aUser(api));
      const { email } = enrolled.person;
      for (let round = 0; round < 3; round += 1) {
        const wrong = wrongCodeOf(enrolled, service.clock.now());
        for (let guess = 0; guess < 4; guess += 1)
          expect(outcome(await attempt(email, wrong))).toEqual(WRONG);
        const code = kind === 'a code' ? enrolled.nextCode() : enrolled.recoveryCodes[round];
        expect(outcome(await attempt(email, code))).toEqual([200]);
      }
    });

    it('is not limited by guesses with a wrong password', async () => {
      const enrolled = await enrol(service, await aUser(api));
      const wrong = wrongCodeOf(enrolled, service.clock.now());
      for (let guess = 0; guess < 8; guess += 1)
        await attempt(enrolled.person.email, wrong, 'a wrong horse battery');
      expect(outcome(await attempt(enrolled.person.email, enrolled.nextCode()))).toEqual([200]);
    });

    it('counts wrong codes of a confirmation too', async () => {
      const user = await aUser(api);
      const { body } = await user.api.post('/v1/auth/otp', { password: PASSWORD });
      const otp = wrongCodeOf({ secret: body.secret } as Enrolled, service.clock.now());
      const replies = [];
      for (let guess = 0; guess < 6; guess += 1)
        replies.push(await user.api.post('/v1/auth/otp/confirmation', { otp }));
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    });
  });

  describe('is switched off', () => {
    it.each(['code', 'recovery code'])('with a %s, which ends the other sessions', async (kind) => {
      const { person, nextCode, recoveryCodes } = await enrol(service, await aUser(api));
      const other = (await attempt(person.email, nextCode())).body.access_token;
      const otp = kind === 'code' ? nextCode() : recoveryCodes[3]!;
      const wrong = await person.api.delete('/v1/auth/otp', { otp: 'AAAAAA-AAAAAA-AAAAAA-AAAAAA' });
      expect(outcome(wrong)).toEqual(WRONG);
      expect(outcome(await person.api.delete('/v1/auth/otp', { otp }))).toEqual([200]);
      expect(await isLive(person)).toBe(true);
      expect((await api.as(other).get('/v1/auth/otp')).status).toBe(401);
      expect(outcome(await attempt(person.email))).toEqual([200]);
      expect((await state(person)).enabled).toBe(false);
    });
  });

  it('gets new recovery codes, which replace the previous ones', async () => {
    const { person, nextCode, recoveryCodes } = await enrol(service, await aUser(api));
    const { body } = await person.api.post('/v1/auth/otp/recovery-codes', { otp: nextCode() });
    expect(body.recovery_codes).toHaveLength(10);
    expect(outcome(await attempt(person.email, recoveryCodes[0]))).toEqual(WRONG);
    expect(outcome(await attempt(person.email, body.recovery_codes[0]))).toEqual([200]);
  });

  it('is deleted with the user', async () => {
    const { person } = await enrol(service, await aUser(api));
    expect((await person.api.delete(`/v1/users/${person.id}`)).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM second_factors WHERE subject_id = $1', [person.id])).toEqual([]);
  });
});
