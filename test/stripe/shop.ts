import { Extensions } from '../../src/app.module';
import { Api } from '../support/api';
import { Owner, Person, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { StripeDouble } from '../support/stripe-double';
import { aLink, Link, open, Page, send } from '../payment-page/visitor';

/** The service with Stripe behind it, as far as tests have Stripe. */
export interface Shop {
  readonly service: TestService;
  readonly stripe: StripeDouble;
  /** Signed in anew: tests move the clock by days. */
  readonly admin: () => Promise<Person>;
  stop(): Promise<void>;
}

/** Tokens outlive the hours by which tests move the clock. */
const ENV = { ACCESS_TOKEN_TTL: '86400' };

export async function openShop(
  env: NodeJS.ProcessEnv = {},
  template?: string,
  extensions: Extensions = [],
): Promise<Shop> {
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

/** Presses the one button of the page. */
export function pressPay(url: string): Promise<Page> {
  return send(url, 'pay=now');
}

type Session = ReturnType<StripeDouble['sessionsOf']>[number];

/** A link whose customer stands on Stripe's page. */
export async function atCheckout(
  { service, stripe }: Shop,
  owner: Owner,
  members: object = {},
): Promise<{ link: Link; session: Session }> {
  const link = await aLink(service, owner, members);
  const page = await pressPay(link.url);
  const session = stripe.sessionsOf(link.id).at(-1);
  if (page.status !== 303 || session === undefined) throw new Error(`The press was answered ${page.status}.`);
  return { link, session };
}

/** A payment that came through Stripe. @returns the id of its transaction */
export async function aPayment(shop: Shop, owner: Owner, members: object = {}): Promise<string> {
  const { session } = await atCheckout(shop, owner, members);
  await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
  const { data } = (await owner.api.get('/v1/transactions?type=payment&status=succeeded&limit=1')).body;
  return data[0].id;
}

/** Stripe tells of something, and it is taken. */
export async function report({ service, stripe }: Shop, type: string, object: object): Promise<void> {
  const status = await stripe.deliver(service.url, stripe.event(type, object));
  if (status !== 200) throw new Error(`${type} was answered ${status}.`);
}

export const stateOfPage = async (url: string): Promise<string | undefined> =>
  /<main class="(\w+)"/.exec((await open(url)).html)?.[1];

export async function balanceOf(api: Api): Promise<{ posted: number; held: number; available: number }> {
  const { posted, held, available } = (await api.get('/v1/account/balance')).body;
  return { posted, held, available };
}

/** What an account's journal says that it holds, in minor units. */
export async function journalOf({ service }: Shop, accountId: string): Promise<number> {
  const [row] = await service.sql<{ sum: string }>(
    `SELECT coalesce(-sum(amount), 0) AS sum FROM journal_entries WHERE account_id = $1 AND leg = 'customer'`,
    [accountId],
  );
  return Math.abs(Number(row!.sum));
}

export async function latePaymentsOf({ admin }: Shop, accountId: string): Promise<any[]> {
  return (await (await admin()).api.get(`/v1/late-payments?account_id=${accountId}&limit=100`)).body.data;
}
