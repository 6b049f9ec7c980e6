import { ServiceModule } from '../../src/platform/service-module';
import { Api } from './api';
import { Owner, Person, theAdmin } from './people';
import { startTestService, TestService } from './service';
import { StripeDouble } from './stripe-double';
import { aPaymentLink, Link, open, Page, send } from './payment-page';

/** The service with a double of Stripe as its processor. */
export interface StripeSetup {
  readonly service: TestService;
  readonly stripe: StripeDouble;
  /** Logs in again for each call, since tests move the clock by days. */
  readonly admin: () => Promise<Person>;
  stop(): Promise<void>;
}

/** Longer than the hours by which tests move the clock. */
const ENV = { ACCESS_TOKEN_TTL: '86400' };

export async function startWithStripe(
  env: NodeJS.ProcessEnv = {},
  template?: string,
  extensions: readonly ServiceModule[] = [],
): Promise<StripeSetup> {
  const stripe = await StripeDouble.start();
  const service = await startTestService({ ...ENV, ...stripe.env, ...env }, template, extensions);
  stripe.clock = service.clock;
  return {
    service,
    stripe,
    admin: () => theAdmin(service.api),
    stop: async () => {
      await service.stop();
      await stripe.stop();
    },
  };
}

/** Submits the form of the payment page. */
export function submitPayment(url: string): Promise<Page> {
  return send(url, 'pay=now');
}

type Session = ReturnType<StripeDouble['sessionsOf']>[number];

/** A payment link whose customer was redirected to Stripe. */
export async function startCheckout(
  { service, stripe }: StripeSetup,
  owner: Owner,
  members: object = {},
): Promise<{ link: Link; session: Session }> {
  const link = await aPaymentLink(service, owner, members);
  const page = await submitPayment(link.url);
  const session = stripe.sessionsOf(link.id).at(-1);
  if (page.status !== 303 || session === undefined)
    throw new Error(`The payment page responded with ${page.status}.`);
  return { link, session };
}

/** A succeeded payment through Stripe. @returns the id of its transaction */
export async function aPayment(setup: StripeSetup, owner: Owner, members: object = {}): Promise<string> {
  const { session } = await startCheckout(setup, owner, members);
  await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
  const { data } = (await owner.api.get('/v1/transactions?type=payment&status=succeeded&limit=1')).body;
  return data[0].id;
}

/** Delivers an event of Stripe, which must be accepted. */
export async function deliverEvent(
  { service, stripe }: StripeSetup,
  type: string,
  object: object,
): Promise<void> {
  const status = await stripe.deliver(service.url, stripe.event(type, object));
  if (status !== 200) throw new Error(`The event ${type} was rejected with ${status}.`);
}

export const stateOfPage = async (url: string): Promise<string | undefined> =>
  /<main class="(\w+)"/.exec((await open(url)).html)?.[1];

export async function balanceOf(api: Api): Promise<{ posted: number; held: number; available: number }> {
  const { posted, held, available } = (await api.get('/v1/account/balance')).body;
  return { posted, held, available };
}

/** The balance of an account by its journal, in minor units. */
export async function journalOf({ service }: StripeSetup, accountId: string): Promise<number> {
  const [row] = await service.sql<{ sum: string }>(
    `SELECT coalesce(-sum(amount), 0) AS sum FROM journal_entries WHERE account_id = $1 AND leg = 'customer'`,
    [accountId],
  );
  return Math.abs(Number(row!.sum));
}

export async function unappliedPaymentsOf({ admin }: StripeSetup, accountId: string): Promise<any[]> {
  return (await (await admin()).api.get(`/v1/unapplied-payments?account_id=${accountId}&limit=100`)).body
    .data;
}
