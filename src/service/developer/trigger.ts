import { Argument, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import type { DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes, UsageError } from '../command';
import { Api, connect, exchange } from './api';
import { Failure } from './failure';

/** The page says so in a header of its own, also where it shows no payment request. */
const TEST_MODE = /<header>\s*<p>\s*<strong>Test mode<\/strong>/;

/** The page of the sandbox at the service itself, wherever its customers find it. It takes no key. */
class PaymentPage {
  constructor(private readonly serviceUrl: string) {}

  /** Whether no real money moves. Only the payment page shows it. */
  async isInTestMode(): Promise<boolean> {
    const { body } = await exchange(`${this.serviceUrl}/pay/unknown`, {
      headers: { 'Accept-Language': 'en' },
    });
    return TEST_MODE.test(body.toString('utf8'));
  }

  /**
   * Chooses an outcome as a customer does in the sandbox.
   * @param declines the number of declined attempts that the page shows
   * @throws Failure where payments are not simulated
   */
  async choose(paymentUrl: string, outcome: 'succeeded' | 'declined', declines = 0): Promise<void> {
    const secret = encodeURIComponent(paymentUrl.split('/').at(-1)!);
    const { status } = await exchange(`${this.serviceUrl}/pay/${secret}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome, declines: String(declines) }),
    });
    if (status !== 303)
      throw new Failure(
        `The payment page responds with ${status}. Only the sandbox (PROCESSOR=sandbox) simulates payments.`,
      );
  }
}

const AMOUNT = 100;
const REFERENCE = 'countinghouse trigger';
/** Reserved for examples (RFC 2606), so that no email reaches anyone. */
const CUSTOMER_EMAIL = 'customer@example.com';
/** With the last one, a payment request has failed. */
const DECLINES = 5;

interface Resource {
  readonly id: string;
  readonly status: string;
}

interface Order {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
}

interface PaymentRequest extends Resource {
  readonly payment_url: string;
}

/** An account that receives transfers. */
interface Receiver {
  readonly id: string;
  readonly login: object;
}

/** An account in test mode, in which things are made to happen. */
class TestAccount {
  constructor(
    private readonly api: Api,
    private readonly page: PaymentPage,
    private readonly order: Order,
  ) {}

  requestPayment(): Promise<PaymentRequest> {
    return this.api.create('/v1/payments', { ...this.order, customer_email: CUSTOMER_EMAIL });
  }

  subscribe(): Promise<Resource> {
    const members = { customer_email: CUSTOMER_EMAIL, interval: 'year' };
    return this.api.create('/v1/subscriptions', { ...this.order, ...members });
  }

  /** @throws Failure where the sandbox does not decide the status */
  async transact(type: 'payment' | 'credit', status: 'pending' | 'succeeded' | 'failed'): Promise<Resource> {
    const metadata = { sandbox_outcome: status };
    const transaction = await this.api.create<Resource>('/v1/transactions', {
      ...this.order,
      type,
      metadata,
    });
    if (transaction.status !== status)
      throw new Failure(
        `${transaction.id} is ${transaction.status}. Only the sandbox (PROCESSOR=sandbox) does that.`,
      );
    return transaction;
  }

  async pay(request: PaymentRequest): Promise<PaymentRequest> {
    await this.page.choose(request.payment_url, 'succeeded');
    return request;
  }

  async decline(request: PaymentRequest): Promise<PaymentRequest> {
    for (let declines = 0; declines < DECLINES; declines += 1)
      await this.page.choose(request.payment_url, 'declined', declines);
    return request;
  }

  async cancel(list: string, { id }: Resource): Promise<Resource> {
    return this.api.delete(`/v1/${list}/${id}`);
  }

  /** Credits money and transfers it. @param to the account that receives; by default one that signs up for it */
  async transfer(capture: 'now' | 'later', to?: Receiver): Promise<Resource> {
    const { id: to_account_id } = to ?? (await this.receiver());
    await this.transact('credit', 'succeeded');
    const { account_id: from_account_id, ...order } = this.order;
    return this.api.create('/v1/transfers', { ...order, from_account_id, to_account_id, capture });
  }

  capture({ id }: Resource): Promise<Resource> {
    return this.api.post(`/v1/transfers/${id}/capture`);
  }

  /** Transfers money, which the account that receives it sends back. */
  async reverse(): Promise<Resource> {
    const receiver = await this.receiver();
    const transfer = await this.transfer('now', receiver);
    const { access_token } = await this.anyone.post<{ access_token: string }>(
      '/v1/auth/login',
      receiver.login,
    );
    await new Api(this.api.url, access_token).create(`/v1/transfers/${transfer.id}/reversal`, {});
    return transfer;
  }

  private async receiver(): Promise<Receiver> {
    const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
    const { currency } = this.order;
    const account = { ...login, name: REFERENCE, type: 'individual', settings: { currency } };
    return { ...(await this.anyone.post<{ id: string }>('/v1/accounts', account)), login };
  }

  private get anyone(): Api {
    return new Api(this.api.url, null);
  }
}

/** By type of event: makes it happen. */
const scenarios: Readonly<Record<string, (account: TestAccount) => Promise<Resource>>> = {
  'payment_request.created': (account) => account.requestPayment(),
  'payment_request.succeeded': async (account) => account.pay(await account.requestPayment()),
  'payment_request.failed': async (account) => account.decline(await account.requestPayment()),
  'payment_request.canceled': async (account) => account.cancel('payments', await account.requestPayment()),
  'transaction.created': (account) => account.transact('payment', 'pending'),
  'transaction.succeeded': (account) => account.transact('credit', 'succeeded'),
  'transaction.failed': (account) => account.transact('credit', 'failed'),
  'transaction.canceled': async (account) =>
    account.cancel('transactions', await account.transact('payment', 'pending')),
  'transfer.created': (account) => account.transfer('later'),
  'transfer.succeeded': (account) => account.transfer('now'),
  'transfer.captured': async (account) => account.capture(await account.transfer('later')),
  'transfer.canceled': async (account) => account.cancel('transfers', await account.transfer('later')),
  'transfer.reversed': (account) => account.reverse(),
  'subscription.created': (account) => account.subscribe(),
  'subscription.canceled': async (account) => account.cancel('subscriptions', await account.subscribe()),
};

/** The events that the command makes happen. */
export const triggeredEvents: readonly string[] = Object.keys(scenarios);

interface TriggerOptions {
  readonly event?: string;
  readonly list?: true;
}

export const trigger: DeveloperCommand<TriggerOptions> = {
  name: 'trigger',
  summary: 'let an event happen, in test mode',
  details:
    'Creates what is needed through the API so that an event happens, and pays or declines payment requests as their customer would. It works in test mode only. By the event, the API key needs the scope payments:write or transactions:write; for transfers, which go to a new account, also transfers:write.',
  arguments: [new Argument('[event]', 'the type of the event').choices(triggeredEvents)],
  options: [new Option('--list', 'print the types of events')],
  examples: ['payment_request.succeeded', '--list'],
  failure: 'The event cannot be triggered',
  run,
};

async function run(
  { terminal, output }: DeveloperContext,
  { event, list }: TriggerOptions,
): Promise<ExitCode> {
  if (list) {
    for (const type of triggeredEvents) output.print(type);
    output.result({ events: triggeredEvents });
    return exitCodes.ok;
  }
  if (event === undefined) throw new UsageError('Name an event. "countinghouse trigger --list" prints them.');
  const { id } = await scenarios[event]!(await testAccount(connect(terminal)));
  output.print(`${event} ${id}`);
  output.result({ event, object_id: id });
  return exitCodes.ok;
}

/** @throws Failure unless the service is in test mode */
async function testAccount(api: Api): Promise<TestAccount> {
  const page = new PaymentPage(api.url);
  if (!(await page.isInTestMode()))
    throw new Failure(`The payment page of ${api.url} does not say that the service is in test mode.`);
  const { id, settings } = await api.get<{ id: string; settings: { currency: string } }>('/v1/account');
  const order = { account_id: id, amount: AMOUNT, currency: settings.currency, reference: REFERENCE };
  return new TestAccount(api, page, order);
}
