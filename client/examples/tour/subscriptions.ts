import { type AccountHolder, expect, refused, run, type Stage } from './stage.js';

export async function subscriptions(stage: Stage, { client, accountId }: AccountHolder): Promise<void> {
  const reference = `contract-${run}`;

  stage.chapter('A subscription');
  stage.say('A subscription requests the same amount every month.');
  const subscription = await client.post('/v1/subscriptions', {
    body: {
      account_id: accountId,
      amount: 4900,
      currency: 'JPY',
      customer_email: 'customer@example.com',
      interval: 'month',
      reference,
    },
  });
  expect(subscription, { status: 'active', interval: 'month' });

  stage.say('The first payment request is created at once.');
  const { data } = await client.get('/v1/payments', { params: { query: { reference } } });
  expect({ amounts: data.map(({ amount }) => amount) }, { amounts: [4900] });

  stage.say(
    'An account with an active subscription cannot be closed, so the subscription is canceled first.',
  );
  await refused(client.delete('/v1/account'), 'active_subscriptions');
  const params = { path: { subscription_id: subscription.id } };
  const canceled = await client.delete('/v1/subscriptions/{subscription_id}', { params });
  expect(canceled, { status: 'canceled' });
}
