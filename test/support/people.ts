import { randomUUID } from 'node:crypto';
import { Api } from './api';
import { ADMIN } from './service';

export const PASSWORD = 'correct horse battery';

/** A logged-in user or account, with a client that sends the access token. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly api: Api;
}

export interface Owner extends Person {
  readonly accountId: string;
}

export function someEmail(): string {
  return `${randomUUID()}@example.com`;
}

export async function logIn(api: Api, email: string, password = PASSWORD): Promise<Person> {
  const { status, body } = await api.post('/v1/auth/login', { email, password });
  if (status !== 200) throw new Error(`Login of ${email} returned ${status}: ${JSON.stringify(body)}`);
  return {
    id: body.user.id,
    email,
    token: body.access_token,
    refreshToken: body.refresh_token,
    api: api.as(body.access_token),
  };
}

/** A user of role `user` without an account. */
export async function aUser(api: Api): Promise<Person> {
  const email = someEmail();
  await created(api, '/v1/users', { email, password: PASSWORD });
  return logIn(api, email);
}

export function theAdmin(api: Api): Promise<Person> {
  return logIn(api, ADMIN.email, ADMIN.password);
}

/** A user with one of the roles of operators and the back office. */
export async function anOperator(api: Api, role: 'platform' | 'support' | 'admin'): Promise<Person> {
  const email = someEmail();
  await created((await theAdmin(api)).api, '/v1/users', { email, password: PASSWORD, role });
  return logIn(api, email);
}

/** An admin whose password nobody else has set: a user who signed up, on a service that requires no approvals. */
export async function anAdminWhoSignedUp(api: Api): Promise<Person> {
  const { id, email } = await aUser(api);
  const { status, text } = await (await theAdmin(api)).api.patch(`/v1/users/${id}`, { role: 'admin' });
  if (status !== 200) throw new Error(`PATCH of the role returned ${status}: ${text}`);
  return logIn(api, email);
}

/** An account that is logged in with its own credentials. */
export async function anAccount(api: Api, settings: object = {}): Promise<Owner> {
  const email = someEmail();
  const { id } = await created(api, '/v1/accounts', {
    email,
    password: PASSWORD,
    name: 'Lovelace Ltd',
    type: 'business',
    settings,
  });
  return { ...(await logIn(api, email)), accountId: id };
}

/** A user who created an account and owns it. */
export async function anOwner(api: Api, settings: object = {}): Promise<Owner> {
  const user = await aUser(api);
  const body = { email: someEmail(), password: PASSWORD, name: 'Lovelace Ltd', type: 'business', settings };
  const { id } = await created(user.api, '/v1/accounts', body);
  return { ...user, accountId: id };
}

/** A user and an account with the same email and password, logged in as both. */
export async function aUserWithAccount(api: Api): Promise<Person> {
  const email = someEmail();
  await created(api, '/v1/users', { email, password: PASSWORD });
  await created(api, '/v1/accounts', { email, password: PASSWORD, name: 'Lovelace Ltd', type: 'business' });
  return logIn(api, email);
}

/** A user that the owner created as a member of the account. */
export async function aMember(api: Api, owner: Owner): Promise<Owner> {
  const email = someEmail();
  await created(owner.api, '/v1/users', { email, password: PASSWORD });
  return { ...(await logIn(api, email)), accountId: owner.accountId };
}

/** Creates a resource and returns it. @throws Error when that fails */
export async function created(api: Api, path: string, body: object): Promise<any> {
  const reply = await api.post(path, body);
  if (reply.status !== 201) throw new Error(`POST ${path} returned ${reply.status}: ${reply.text}`);
  return reply.body;
}
