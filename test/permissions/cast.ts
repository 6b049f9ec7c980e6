import { Api } from '../support/api';
import { aSubscription } from '../support/movements';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../support/people';
import { TestService } from '../support/service';
import { Column } from './matrix';

/** What a caller has in hand. */
export type Caller = Pick<Person, 'api' | 'email' | 'refreshToken'>;

/** The account that the operations are about, its people and what it owns. Each is made when it is first asked for. */
export interface Home {
  readonly accountId: string;
  readonly owner: Person;
  /** The account, signed in with its own email. */
  readonly account: () => Promise<Person>;
  /** The member whom operations on a user are about. */
  readonly member: () => Promise<Person>;
  /** A live session of the account's. */
  readonly sessionId: () => Promise<string>;
  /** A pending transaction, a pending payment request and an active subscription. */
  readonly transactionId: () => Promise<string>;
  readonly paymentRequestId: () => Promise<string>;
  /** Money that came for that request and was not its amount. */
  readonly latePaymentId: () => Promise<string>;
  readonly subscriptionId: () => Promise<string>;
  /** Cancels every subscription that it has, or it would not be closed. */
  readonly unsubscribe: () => Promise<void>;
}

/** Everyone who appears in one play: the callers of the matrix, and the account that they come for. */
export class Cast {
  constructor(private readonly service: TestService) {}

  readonly home = once(() => this.aHome());
  private readonly suspendedHome = once(() => this.aHome());
  private readonly closedHome = once(() => this.aHome());

  /** The account that the operation is about when it is called from that column. */
  homeOf(column: Column): Promise<Home> {
    if (column === 'susp') return this.suspendedHome();
    return column === 'closed' ? this.closedHome() : this.home();
  }

  /** @param about whom the operation is about, which is who comes as `self` */
  caller(column: Column, about: 'user' | 'account'): Promise<Caller> {
    return column === 'self' ? this.self(about) : this.callers[column]();
  }

  private readonly callers: Readonly<Record<Exclude<Column, 'self'>, () => Promise<Caller>>> = {
    anon: once(async () => ({ api: this.service.api, email: someEmail(), refreshToken: 'of nobody' })),
    other: once(() => anOwner(this.service.api)),
    untied: once(() => aUser(this.service.api)),
    member: once(async () => {
      const { owner, accountId } = await this.home();
      return aMember(this.service.api, { ...owner, accountId });
    }),
    owner: once(async () => (await this.home()).owner),
    susp: once(() => this.suspended()),
    closed: once(() => this.closed()),
    platform: once(() => anOperator(this.service.api, 'platform')),
    admin: once(() => anOperator(this.service.api, 'admin')),
    expired: once(() => this.expired()),
    revoked: once(() => this.revoked()),
  };

  private async self(about: 'user' | 'account'): Promise<Caller> {
    const { member, account } = await this.home();
    return about === 'user' ? member() : account();
  }

  private async suspended(): Promise<Caller> {
    const home = await this.suspendedHome();
    await complete(home);
    const admin = await theAdmin(this.service.api);
    await succeed(admin.api.patch(`/v1/accounts/${home.accountId}`, { status: 'suspended' }));
    return logIn(this.service.api, home.owner.email);
  }

  private async closed(): Promise<Caller> {
    const home = await this.closedHome();
    await complete(home);
    const caller = await home.account();
    await home.unsubscribe();
    await succeed(caller.api.delete('/v1/account'));
    return caller;
  }

  private async expired(): Promise<Caller> {
    const { owner } = await this.home();
    this.service.clock.move({ minutes: -60 });
    try {
      return await logIn(this.service.api, owner.email);
    } finally {
      this.service.clock.move({ minutes: 60 });
    }
  }

  private async revoked(): Promise<Caller> {
    const { owner } = await this.home();
    const caller = await logIn(this.service.api, owner.email);
    await succeed(caller.api.delete('/v1/auth/session'));
    return caller;
  }

  private async aHome(): Promise<Home> {
    const { api } = this.service;
    const owner = await aUser(api);
    const email = someEmail();
    const account = await created(owner.api, '/v1/accounts', {
      email,
      password: PASSWORD,
      name: 'Lovelace Ltd',
      type: 'business',
    });
    const order = { account_id: account.id, amount: 1250, currency: 'USD' };
    const request = { ...order, customer_email: 'c@example.com' };
    const paymentRequestId = once<string>(async () => (await created(owner.api, '/v1/payments', request)).id);
    return {
      accountId: account.id,
      owner,
      account: once(() => logIn(api, email)),
      member: once(() => aMember(api, { ...owner, accountId: account.id })),
      sessionId: once(async () => sessionOf(await logIn(api, email))),
      transactionId: once(
        async () => (await created(owner.api, '/v1/transactions', { ...order, type: 'payment' })).id,
      ),
      paymentRequestId,
      latePaymentId: once(async () => {
        const path = `/v1/payments/${await paymentRequestId()}/late-payments`;
        return (await created((await theAdmin(api)).api, path, { amount: 1 })).id;
      }),
      subscriptionId: once(
        async () => (await created(owner.api, '/v1/subscriptions', aSubscription(account.id))).id,
      ),
      unsubscribe: async () => {
        const admin = await theAdmin(api);
        const active = `/v1/subscriptions?status=active&account_id=${account.id}`;
        for (const { id } of (await admin.api.get(active)).body.data) {
          await succeed(admin.api.delete(`/v1/subscriptions/${id}`));
        }
      },
    };
  }
}

/** Makes what a home has, while its owner still may. */
async function complete({
  account,
  member,
  sessionId,
  transactionId,
  paymentRequestId,
  latePaymentId,
  subscriptionId,
}: Home): Promise<void> {
  for (const make of [
    account,
    member,
    sessionId,
    transactionId,
    paymentRequestId,
    latePaymentId,
    subscriptionId,
  ])
    await make();
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function sessionOf({ token }: Person): string {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid;
}

async function succeed(reply: ReturnType<Api['get']>): Promise<void> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`It answered ${status}: ${text}`);
}
