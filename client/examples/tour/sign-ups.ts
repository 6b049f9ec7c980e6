import { Countinghouse } from 'countinghouse-client';
import { type AccountHolder, expect, loginOf, refused, type Stage } from './stage.js';

interface Cast {
  readonly ada: AccountHolder;
  readonly grace: AccountHolder;
  /** A member of Grace's account. */
  readonly bob: AccountHolder;
}

export async function signUps(stage: Stage): Promise<Cast> {
  const ada = await anIndividual(stage);
  return { ada, ...(await aBusiness(stage)) };
}

async function anIndividual(stage: Stage): Promise<AccountHolder> {
  const { baseUrl } = stage;
  const login = loginOf('ada');

  stage.chapter('An individual signs up');
  stage.say('Signing up needs no credentials. An account has its own email and password.');
  const visitor = new Countinghouse({ baseUrl, fetch: stage.fetchOf('Visitor') });
  const { id, ...account } = await visitor.post('/v1/accounts', {
    body: { ...login, name: 'Ada Lovelace', type: 'individual' },
  });
  expect(account, { status: 'active', settings: { currency: 'USD', timezone: 'UTC', language: 'en' } });

  stage.say('Emails are compared without case, and each belongs to one account only.');
  const again = { ...login, email: login.email.toUpperCase() };
  await refused(
    visitor.post('/v1/accounts', { body: { ...again, name: 'Ada', type: 'individual' } }),
    'email_exists',
  );

  stage.say('A wrong password and an unknown email get the same response.');
  await refused(
    visitor.post('/v1/auth/login', { body: { ...login, password: 'not this one' } }),
    'invalid_credentials',
  );

  stage.say('A client with a login logs in at its first request. Only the settings that are sent change.');
  const client = new Countinghouse({ baseUrl, credentials: { login }, fetch: stage.fetchOf('Ada') });
  const { settings } = await client.patch('/v1/account', {
    body: { settings: { currency: 'EUR', timezone: 'Europe/London' } },
  });
  expect(settings, { currency: 'EUR', timezone: 'Europe/London', language: 'en' });
  return { id, accountId: id, login, client };
}

async function aBusiness(stage: Stage): Promise<Omit<Cast, 'ada'>> {
  const { baseUrl } = stage;
  const [gracesLogin, bobsLogin] = [loginOf('grace'), loginOf('bob')];

  stage.chapter('A business signs up');
  stage.say('A person signs up as a user.');
  const visitor = new Countinghouse({ baseUrl, fetch: stage.fetchOf('Visitor') });
  const user = await visitor.post('/v1/users', { body: { ...gracesLogin, name: 'Grace Hopper' } });
  expect(user, { email: gracesLogin.email, status: 'active' });

  stage.say('She logs in, and has no account yet.');
  const grace = new Countinghouse({
    baseUrl,
    credentials: { login: gracesLogin },
    fetch: stage.fetchOf('Grace'),
  });
  await refused(grace.get('/v1/account'), 'forbidden');

  stage.say('A user without an account who creates one becomes its owner at once, with the same token.');
  const account = await grace.post('/v1/accounts', {
    body: {
      ...loginOf('books'),
      name: 'Hopper & Co',
      type: 'business',
      settings: { currency: 'JPY', language: 'ja' },
    },
  });
  expect(account, { type: 'business', settings: { currency: 'JPY', timezone: 'UTC', language: 'ja' } });
  expect(await grace.get('/v1/account'), { id: account.id });

  stage.say("A user created with an owner's token is a member of the account.");
  const member = await grace.post('/v1/users', { body: { ...bobsLogin, name: 'Bob' } });

  stage.say(
    'Members act for the account, but only its owner can change it. The client first renews the token, as after any 401.',
  );
  const bob = new Countinghouse({
    baseUrl,
    credentials: { login: bobsLogin },
    fetch: stage.fetchOf('Bob'),
  });
  await refused(bob.patch('/v1/account', { body: { name: 'Bob & Co' } }), 'unauthorized');

  stage.say('An owner lists the users of the account.');
  const { pagination } = await grace.get('/v1/users', { params: { query: { search: 'bob', limit: 5 } } });
  expect(pagination, { page: 1, limit: 5, total_pages: 1, total_records: 1 });
  return {
    grace: { id: user.id, accountId: account.id, login: gracesLogin, client: grace },
    bob: { id: member.id, accountId: account.id, login: bobsLogin, client: bob },
  };
}
