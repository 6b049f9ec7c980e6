import { setTimeout } from 'node:timers/promises';
import { type AccountHolder, expect, type Person, refused, run, type Stage } from './stage.js';

/** @returns the id of a payment request that stays pending */
export async function paymentRequests(stage: Stage, owner: AccountHolder, member: Person): Promise<string> {
  const [grace, bob] = [owner.client, member.client];
  const body = {
    account_id: owner.accountId,
    amount: 98000,
    currency: 'JPY',
    customer_email: 'customer@example.com',
    reference: `invoice-${run}`,
    metadata: { project: 'COBOL' },
  };

  stage.chapter('Payment requests');
  stage.say(
    'A member requests a payment from a customer. Anyone with the payment_url can pay, so it is masked here.',
  );
  const request = await bob.post('/v1/payments', { body });
  expect(request, { status: 'pending', reference: body.reference });

  stage.say('An account that the caller may not see does not exist for the caller.');
  await refused(
    bob.post('/v1/payments', { body: { ...body, account_id: 'acc_nobody' } }),
    'account_not_found',
  );

  stage.say('The request can be found by its reference.');
  const { reference } = body;
  const { data } = await grace.get('/v1/payments', { params: { query: { reference } } });
  expect({ found: data.map(({ id }) => id) }, { found: [request.id] });

  stage.say(
    'A program waits until the request ends. Meanwhile, the customer opens the payment_url and pays.',
  );
  const [ended] = await Promise.all([
    grace.waitForPayment(request.id, { timeoutMs: 20_000, intervalMs: 200 }),
    payAsCustomer(stage, request.payment_url),
  ]);
  expect(ended, { status: 'succeeded', amount: 98000, reference });

  stage.say('A pending request can be canceled.');
  const second = await bob.post('/v1/payments', { body });
  const params = { path: { payment_id: second.id } };
  expect(await grace.delete('/v1/payments/{payment_id}', { params }), { status: 'canceled' });
  expect(await grace.get('/v1/payments/{payment_id}/status', { params }), { status: 'canceled' });

  stage.say('A third request stays pending.');
  return (await bob.post('/v1/payments', { body })).id;
}

/** Submits the form of the payment page, which customers open in a browser. In the sandbox it simulates a payment. */
async function payAsCustomer({ baseUrl }: Stage, paymentUrl: string): Promise<void> {
  await setTimeout(500); // lets the audience see how the program waits
  const secret = paymentUrl.slice(paymentUrl.lastIndexOf('/') + 1);
  const { status } = await fetch(`${baseUrl}/pay/${secret}`, {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'succeeded', declines: '0' }),
    redirect: 'manual',
  });
  if (status !== 303) throw new Error(`the payment page returned ${status} and should return 303`);
}
