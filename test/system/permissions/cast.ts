import { Api } from '../../support/api';
import { aSubscription } from '../../support/request-bodies';
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
} from '../../support/people';
import { openedIn2000 } from '../../support/old-account';
import { TestService } from '../../support/service';
import { Column } from './matrix';

/** A caller of the permission matrix. */
export type Caller = Pick<Person, 'api' | 'email' | 'refreshToken'>;

/** The account of the requests with its users and resources. Each is created on first use. */
export interface Home {
  readonly accountId: string;
  readonly owner: Person;
  /** The account, logged in with its own email. */
  readonly account: () => Promise<Person>;
  /** The member in the path of operations on a user. */
  readonly member: () => Promise<Person>;
  /** A live session of the account. */
  readonly sessionId: () => Promise<string>;
  /** A pending transaction, a pending payment request and an active subscription. */
  readonly transactionId: () => Promise<string>;
  readonly paymentRequestId: () => Promise<string>;
  /** A payment for that request with a wrong amount. */
  readonly unappliedPaymentId: () => Promise<string>;
  readonly subscriptionId: () => Promise<string>;
  /** An entry of the audit log. */
  readonly auditEntryId: () => Promise<string>;
  /** Cancels all subscriptions, which would block the closing. */
  readonly unsubscribe: () => Promise<void>;
}

/** Creates what the requests of a module need under an account that will be suspended or closed. */
export interface Preparation {
  readonly prepare?: (home: Home) => Promise<unknown>;
}

/** The callers of the permission matrix, and the account of their requests. */
export class Cast {
  constructor(
    private readonly service: TestService,
    private readonly modules: readonly Preparation[],
  ) {}

  readonly home = once(() => this.aHome());
  private readonly suspendedHome = once(() => this.aHome());
  private readonly closedHome = once(() => this.aHome());

  /** The account of the request in that column. */
  homeOf(column: Column): Promise<Home> {
    if (column === 'susp') return this.suspendedHome();
    return column === 'closed' ? this.closedHome() : this.home();
  }

  /** @param about the caller in the column `self` */
  caller(column: Column, about: 'user' | 'account'): Promise<Caller> {
    return column === 'self' ? this.self(about) : this.callers[column]();
  }

  private readonly callers: Readonly<Record<Exclude<Column, 'self'>, () => Promise<Caller>>> = {
    anon: once(async () => ({ api: this.service.api, email: someEmail(), refreshToken: 'not a token' })),
    other: once(async () => openedIn2000(this.service, await anOwner(this.service.api))),
    unlinked: once(() => aUser(this.service.api)),
    member: once(async () => {
      const { owner, accountId } = await this.home();
      return aMember(this.service.api, { ...owner, accountId });
    }),
    owner: once(async () => (await this.home()).owner),
    susp: once(() => this.suspended()),
    closed: once(() => this.closed()),
    platform: once(() => anOperator(this.service.api, 'platform')),
    admin: once(() => anOperator(this.service.api, 'admin')),
    support: once(() => anOperator(this.service.api, 'support')),
    expired: once(() => this.expired()),
    revoked: once(() => this.revoked()),
    key: once(() => this.withKey('key')),
    platkey: once(async () => this.withKey('platkey')),
    expkey: once(() => this.withKey('expkey')),
    revkey: once(() => this.withKey('revkey')),
  };

  /** A client with an API key of the account, or with a platform key. */
  private async withKey(column: 'key' | 'platkey' | 'expkey' | 'revkey'): Promise<Caller> {
    const isPlatform = column === 'platkey';
    const creator = isPlatform ? await theAdmin(this.service.api) : (await this.home()).owner;
    const past = column === 'expkey' ? 60 : 0;
    this.service.clock.move({ minutes: -past });
    const { id, key } = await created(creator.api, '/v1/api-keys', {
      name: column,
      role: isPlatform ? 'platform' : 'user',
      ...(past > 0 && { expires_at: new Date(this.service.clock.now().getTime() + 60_000).toISOString() }),
    }).finally(() => this.service.clock.move({ minutes: past }));
    if (column === 'revkey') await succeed(creator.api.delete(`/v1/api-keys/${id}`));
    return { api: this.service.api.as(key), email: someEmail(), refreshToken: 'not a token' };
  }

  private async self(about: 'user' | 'account'): Promise<Caller> {
    const { member, account } = await this.home();
    return about === 'user' ? member() : account();
  }

  private async suspended(): Promise<Caller> {
    const home = await this.suspendedHome();
    await this.complete(home);
    const admin = await theAdmin(this.service.api);
    await succeed(admin.api.patch(`/v1/accounts/${home.accountId}`, { status: 'suspended' }));
    return logIn(this.service.api, home.owner.email);
  }

  private async closed(): Promise<Caller> {
    const home = await this.closedHome();
    await this.complete(home);
    const caller = await home.account();
    await home.unsubscribe();
    await succeed(caller.api.delete('/v1/account'));
    return caller;
  }

  /** Creates everything that a home has, while the account is active. */
  private async complete(home: Home): Promise<void> {
    await home.account();
    await home.member();
    await home.sessionId();
    await home.transactionId();
    await home.unappliedPaymentId();
    await home.subscriptionId();
    for (const { prepare } of this.modules) await prepare?.(home);
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
    await openedIn2000(this.service, { accountId: account.id });
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
      unappliedPaymentId: once(async () => {
        const path = `/v1/payments/${await paymentRequestId()}/unapplied-payments`;
        return (await created((await theAdmin(api)).api, path, { amount: 1 })).id;
      }),
      subscriptionId: once(
        async () => (await created(owner.api, '/v1/subscriptions', aSubscription(account.id))).id,
      ),
      auditEntryId: once(
        async () => (await (await theAdmin(api)).api.get('/v1/audit-log?limit=1')).body.data[0].id,
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

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => (created ??= create());
}

function sessionOf({ token }: Person): string {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid;
}

async function succeed(reply: ReturnType<Api['get']>): Promise<void> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`The response is ${status}: ${text}`);
}
