import type { Countinghouse } from 'countinghouse-client';
import { expect, type Person, refused, type Stage } from './stage.js';

export async function backOffice(
  stage: Stage,
  admin: Countinghouse,
  { client: grace }: Person,
  { client: bob, id: user_id }: Person,
): Promise<void> {
  stage.chapter('The back office');
  stage.say('An admin logs in like any user, and lists all accounts.');
  const query = { type: 'business', limit: 1 } as const;
  const { data, pagination } = await admin.get('/v1/accounts', { params: { query } });
  expect({ count: data.length }, { count: 1 });
  expect(pagination, { page: 1, limit: 1 });

  stage.say('Others may not.');
  await refused(grace.get('/v1/accounts'), 'forbidden');

  stage.say('The admin suspends a user, whose tokens stop working at once, and who cannot log in.');
  const params = { path: { user_id } };
  const suspended = await admin.patch('/v1/users/{user_id}', { params, body: { status: 'suspended' } });
  expect(suspended, { status: 'suspended' });
  await refused(bob.get('/v1/transactions'), 'unauthorized');

  stage.say('When the suspension is lifted, the old tokens stay invalid; a new login works.');
  expect(await admin.patch('/v1/users/{user_id}', { params, body: { status: 'active' } }), {
    status: 'active',
  });
  await bob.get('/v1/transactions');
}
