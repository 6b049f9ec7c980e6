import type { Countinghouse } from 'countinghouse-client';
import { type AccountHolder, expect, type Person, refused, type Stage } from './stage.js';

/** @param pendingId a pending payment request of the account */
export async function closing(
  stage: Stage,
  { client: grace, accountId: account_id }: AccountHolder,
  { client: bob }: Person,
  pendingId: string,
  admin: Countinghouse | null,
): Promise<void> {
  stage.chapter('Closing an account');
  stage.say('A member cannot close it.');
  await refused(bob.delete('/v1/account'), 'forbidden');

  stage.say(
    'Its owner can, which is final: pending transactions and payment requests are canceled, linked users are deleted.',
  );
  expect(await grace.delete('/v1/account'), { id: account_id, status: 'closed' });

  stage.say('All tokens that act for the account stop working at once, and its users cannot log in again.');
  await refused(bob.get('/v1/account'), 'invalid_credentials');
  await refused(grace.get('/v1/account'), 'invalid_credentials');
  if (admin === null) return;

  stage.say(
    'The back office still sees the account, and that the pending payment request has been canceled.',
  );
  const account = await admin.get('/v1/accounts/{account_id}', { params: { path: { account_id } } });
  expect(account, { status: 'closed' });
  const request = await admin.get('/v1/payments/{payment_id}/status', {
    params: { path: { payment_id: pendingId } },
  });
  expect(request, { status: 'canceled' });
}
