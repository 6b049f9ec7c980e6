import type { components } from 'countinghouse-client';
import { type AccountHolder, expect, type Person, refused, run, type Stage } from './stage.js';

type CreatedTransaction = components['schemas']['CreatedTransactionResponse'];
type NewTransaction = components['schemas']['CreateTransactionRequest'];

export async function transactions(stage: Stage, ada: AccountHolder, grace: Person): Promise<void> {
  const order = await creations(stage, ada);
  await annotation(stage, ada, grace, order);
  await lists(stage, ada, order);
  await cancellation(stage, ada, order);
}

/** @returns a pending payment */
async function creations(
  stage: Stage,
  { client, accountId: account_id }: AccountHolder,
): Promise<CreatedTransaction> {
  const of = (type: NewTransaction['type'], amount: number): NewTransaction => ({
    account_id,
    amount,
    currency: 'EUR',
    type,
  });

  stage.chapter('Transactions');
  stage.say('A credit is added to the balance at once. Amounts are in minor units: 5000 is 50.00 EUR.');
  const credit = await client.post('/v1/transactions', { body: of('credit', 5000) });
  expect(credit, { status: 'succeeded', reference: null, metadata: {} });

  stage.say(
    'The client gives each creation an Idempotency-Key. When the connection is lost before the response arrives, it sends the request again and gets the response of the first one: nothing is created twice.',
  );
  stage.loseNextResponse();
  const payment = await client.post('/v1/transactions', { body: of('payment', 300) });
  expect(payment, { status: 'pending' });

  stage.say('A key of your own, such as the number of an order, also covers a restart of your program.');
  const body: NewTransaction = {
    ...of('payment', 1250),
    reference: `order-${run}`,
    metadata: { table: 7 },
  };
  const params = { header: { 'Idempotency-Key': `order-${run}` } };
  const order = await client.post('/v1/transactions', { body, params });
  expect(order, { status: 'pending', metadata: { table: 7 } });
  expect(await client.post('/v1/transactions', { body, params }), { id: order.id });

  stage.say('The same key with a different request is rejected.');
  await refused(client.post('/v1/transactions', { body: { ...body, amount: 1 }, params }), 'invalid_request');

  stage.say('A refund sends money out.');
  const refund = await client.post('/v1/transactions', { body: of('refund', 2000) });
  expect(refund, { status: 'succeeded' });

  stage.say(
    'It cannot exceed the available balance; pending money does not count. A program compares error codes: error.is("insufficient_funds").',
  );
  await refused(client.post('/v1/transactions', { body: of('refund', 3001) }), 'insufficient_funds');

  stage.say('The currency must be the currency of the account.');
  const dollars = { ...of('credit', 1), currency: 'USD' };
  await refused(client.post('/v1/transactions', { body: dollars }), 'currency_mismatch');

  stage.say('Amounts are positive integers.');
  await refused(client.post('/v1/transactions', { body: of('credit', 1.5) }), 'invalid_request');

  stage.say('The currency of an account is fixed once it has a transaction.');
  await refused(client.patch('/v1/account', { body: { settings: { currency: 'USD' } } }), 'invalid_request');

  stage.say('The balance shows what is posted, and what is expected from pending payments.');
  expect(await client.get('/v1/account/balance'), { posted: 3000, available: 3000, pending_in: 1550 });
  return order;
}

async function annotation(
  stage: Stage,
  { client }: Person,
  stranger: Person,
  { id, reference }: CreatedTransaction,
): Promise<void> {
  const params = { path: { transaction_id: id } };
  stage.chapter('Annotating a transaction');
  stage.say('Metadata keys are merged; null removes a key.');
  const annotated = await client.patch('/v1/transactions/{transaction_id}', {
    params,
    body: { metadata: { table: null, waiter: 'Zoe' } },
  });
  expect(annotated, { metadata: { waiter: 'Zoe' }, reference });

  stage.say('Amount, currency and type never change: the types of the client do not accept them either.');
  await refused(
    client.patch('/v1/transactions/{transaction_id}', {
      params,
      // @ts-expect-error -- the service rejects it, too
      body: { amount: 1 },
    }),
    'conflict',
  );

  stage.say('Retrieve the full transaction.');
  expect(await client.get('/v1/transactions/{transaction_id}', { params }), { status: 'pending' });

  stage.say('For another account it does not exist.');
  await refused(stranger.client.get('/v1/transactions/{transaction_id}', { params }), 'not_found');
}

async function lists(stage: Stage, { client }: Person, order: CreatedTransaction): Promise<void> {
  stage.chapter('Lists');
  stage.say('A loop over a list fetches page after page, newest first.');
  const all: string[] = [];
  const query = { limit: 2 };
  for await (const { id } of client.list('/v1/transactions', { params: { query } })) all.push(id);
  expect({ count: all.length }, { count: 4 });

  stage.say('With ending_before it goes towards newer items, so that a program continues where it stopped.');
  const newer: string[] = [];
  const after = { ...query, ending_before: all[3] };
  for await (const { id } of client.list('/v1/transactions', { params: { query: after } })) newer.push(id);
  expect({ newer }, { newer: all.slice(0, 3).reverse() });

  stage.say('Filters select items.');
  const filter = { type: 'payment', reference: `order-${run}` } as const;
  const { data } = await client.get('/v1/transactions', { params: { query: filter } });
  expect({ found: data.map(({ id }) => id) }, { found: [order.id] });

  stage.say('A limit that is too large is rejected, not reduced.');
  await refused(client.get('/v1/transactions', { params: { query: { limit: 101 } } }), 'invalid_request');
}

async function cancellation(stage: Stage, { client }: Person, { id }: CreatedTransaction): Promise<void> {
  const params = { path: { transaction_id: id } };
  stage.chapter('Canceling');
  stage.say('A pending transaction can be canceled; it stays on record.');
  expect(await client.delete('/v1/transactions/{transaction_id}', { params }), { id, status: 'canceled' });

  stage.say('It cannot be canceled twice.');
  await refused(client.delete('/v1/transactions/{transaction_id}', { params }), 'not_cancellable');
}
