import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { StripeProcessor } from '../../../src/modules/processors/stripe/stripe.adapter';
import { HOSTILE_HTTP, HOSTILE_TLS, HostileServer } from '../../support/hostile-server';
import { STRIPE_KEY, StripeDouble } from '../../support/stripe-double';
import { eventually, until } from '../../support/until';

const DEADLINE_MS = 300;

/** For three attempts and the pauses between them, on a slow machine. */
const LIMIT_MS = 8_000;

const order = {
  accountId: 'acc_1',
  id: 'tx_1',
  round: 1,
  paymentReference: 'pi_1',
  amount: 100,
  currency: 'USD',
};

const stripeAt = (url: string): StripeProcessor =>
  new StripeProcessor(
    {
      secretKey: STRIPE_KEY,
      webhookSecrets: ['whsec_1'],
      apiUrl: url,
      checkoutOrigin: 'https://checkout.stripe.com',
      testMode: true,
    },
    DEADLINE_MS,
  );

async function assertEnds(call: Promise<unknown>): Promise<void> {
  const started = performance.now();
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ProcessorError', permanent: false });
  expect(inspect(error, { depth: 5 })).not.toContain(STRIPE_KEY);
  expect(performance.now() - started).toBeLessThan(LIMIT_MS);
}

async function assertRefundEnds(
  protocol: string,
  behave: (socket: Socket) => void,
  check: (server: HostileServer) => Promise<void> = async () => undefined,
): Promise<void> {
  const server = await HostileServer.start(behave);
  try {
    await assertEnds(stripeAt(`${protocol}://127.0.0.1:${server.port}`).refunds.create(order));
    await eventually(() => server.accepted).toBeGreaterThan(0);
    await check(server);
  } finally {
    await server.stop();
  }
}

describe('A call to Stripe ends by its deadline when the other side', () => {
  it.concurrent.each(Object.entries(HOSTILE_HTTP))('%s, and so does the connection', (_, behave) =>
    assertRefundEnds('http', behave, async (server) => {
      expect(await until(() => server.open === 0)).toBe(true);
    }),
  );

  it.concurrent.each(Object.entries(HOSTILE_TLS))('%s', (_, behave) => assertRefundEnds('https', behave));

  it.concurrent('never responds to any attempt', async () => {
    const server = await HostileServer.start(HOSTILE_HTTP['never responds']!);
    await assertEnds(stripeAt(`http://127.0.0.1:${server.port}`).verifyAccess());
    await eventually(() => server.accepted).toBeGreaterThanOrEqual(3);
    await server.stop();
  });

  it.concurrent('has one more page of refunds without end', async () => {
    const stripe = await StripeDouble.start();
    stripe.hasEndlessRefunds = true;
    await assertEnds(stripeAt(stripe.url).refunds.create(order));
    expect(stripe.count(/^POST/)).toBe(0);
    await stripe.stop();
  });
});
