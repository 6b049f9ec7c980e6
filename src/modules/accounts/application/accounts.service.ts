import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Snapshot } from '../../../platform/database/snapshot';
import { Tx } from '../../../platform/database/tx';
import {
  assertPassword,
  Credentials,
  isAdmin,
  isOperator,
  owns,
  PasswordHasher,
  Principal,
} from '../../auth';
import { Users } from '../../users';
import { Account, AccountChange, AccountSettings, AccountType } from '../domain/account';
import { AccountClosing } from '../domain/account-closing';
import { AccountFilter, AccountsRepository } from '../domain/accounts.repository';

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly type: AccountType;
  readonly password: string;
  readonly settings?: Partial<AccountSettings>;
}

@Injectable()
export class Accounts {
  constructor(
    private readonly database: Database,
    private readonly repository: AccountsRepository,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly users: Users,
    private readonly closing: AccountClosing,
  ) {}

  /**
   * Interface 4.3. The account has an email and a password of its own; a user of role `user` without an account
   * becomes its owner at once, with the token it holds.
   * @throws Refusal `invalid_request`, `email_exists`
   */
  async create(caller: Principal | null, request: NewAccount, once: Once<Account>): Promise<Answer> {
    assertPassword(request.password, request.email);
    const passwordHash = await this.hasher.hash(request.password);
    return this.database.atomically(once, async (tx, now) => {
      const account = Account.create(request, now);
      this.repository.add(tx, account);
      this.credentials.create(tx, {
        subjectId: account.id,
        kind: 'account',
        email: account.email,
        passwordHash,
        accountId: account.id,
        standing: 'owner',
        role: 'user',
        barred: false,
      });
      const creator =
        caller !== null && !isOperator(caller) && caller.accountId === null ? caller.userId : null;
      if (creator !== null) await this.users.tieOwner(tx, creator, account.id, now);
      return account;
    });
  }

  /** @throws Refusal `forbidden` for who is neither admin nor platform */
  list(caller: Principal, filter: AccountFilter, page: PageRequest): Promise<Page<Account>> {
    if (!isOperator(caller)) throw forbidden('Only admins and platform systems list accounts.');
    return this.repository.list(filter, page);
  }

  /** The account that the token acts for. @throws Refusal `forbidden` when it acts for none */
  async own(caller: Principal): Promise<Account> {
    const account = caller.accountId === null ? null : await this.repository.find(caller.accountId);
    if (account === null) throw forbidden('This token acts for no account.');
    return account;
  }

  /** @throws Refusal `forbidden` for who is neither admin nor platform; `not_found` */
  async get(caller: Principal, id: string): Promise<Account> {
    if (!isOperator(caller))
      throw forbidden('Only admins and platform systems retrieve an account by its id.');
    const account = isId('acc', id) ? await this.repository.find(id) : null;
    if (account === null) throw notFound();
    return account;
  }

  /** @throws Refusal `unauthorized` for who is not the owner; `invalid_request`, `email_exists` */
  updateOwn(caller: Principal, change: AccountChange): Promise<Account> {
    const { accountId } = caller;
    if (accountId === null || !owns(caller, accountId)) {
      throw new Refusal(
        'unauthorized',
        'Only the owner updates its account. Admins use /v1/accounts/{account_id}.',
      );
    }
    return this.update(accountId, change);
  }

  /** @throws Refusal `forbidden` for who is not an admin; `not_found`, `conflict`, `invalid_request`, `email_exists` */
  async updateAny(caller: Principal, id: string, change: AccountChange): Promise<Account> {
    if (!isAdmin(caller)) throw forbidden('Only an admin updates an account by its id.');
    return this.update(id, change);
  }

  /** @throws Refusal `forbidden` for who is not the owner; `active_subscriptions` */
  async closeOwn(caller: Principal): Promise<Account> {
    const { accountId } = caller;
    if (accountId === null || !owns(caller, accountId)) throw forbidden('Only the owner closes its account.');
    return this.close(accountId);
  }

  /** @throws Refusal `forbidden` for who is not an admin; `not_found`, `conflict`, `active_subscriptions` */
  async closeAny(caller: Principal, id: string): Promise<Account> {
    if (!isAdmin(caller)) throw forbidden('Only an admin closes an account by its id.');
    return this.close(id);
  }

  /** The account as it is, for modules that show something of it. */
  find(id: string): Promise<Account | null> {
    return this.repository.find(id);
  }

  /** Locks the account for what `tx` does under it. @returns null when there is none */
  async lock(tx: Tx, id: string): Promise<Account | null> {
    return isId('acc', id) ? this.repository.lock(tx, id) : null;
  }

  /** Queues the account as it is now. Only for one that `tx` has locked. */
  save(tx: Tx, account: Account): void {
    this.repository.save(tx, account);
  }

  /** Every account there is, by id, in batches. */
  stream(snapshot: Snapshot): AsyncIterable<Account[]> {
    return this.repository.stream(snapshot);
  }

  private update(id: string, change: AccountChange): Promise<Account> {
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.lock(tx, id);
      if (account === null) throw notFound();
      if (Object.values(change).every((value) => value === undefined)) return account;
      account.change(change, now);
      this.repository.save(tx, account);
      if (change.email !== undefined) await this.credentials.rename(tx, id, change.email);
      if (change.status === 'suspended') this.credentials.endSessionsOfAccount(tx, id, now);
      return account;
    });
  }

  /** Interface 3.2: what is pending ends, linked users are deleted, sessions end; the books stay. */
  private close(id: string): Promise<Account> {
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.lock(tx, id);
      if (account === null) throw notFound();
      await this.closing.run(tx, account, now);
      this.repository.save(tx, account);
      await this.users.deleteOfAccount(tx, id, now);
      await this.credentials.bar(tx, id, true, now);
      this.credentials.endSessionsOfAccount(tx, id, now);
      return account;
    });
  }
}

function forbidden(message: string): Refusal {
  return new Refusal('forbidden', message);
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such account.');
}
