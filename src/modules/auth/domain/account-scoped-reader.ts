import { DomainError } from '../../../kernel/domain-error';
import { type IdPrefix, isId } from '../../../kernel/ids';
import type { CursorPage, CursorRequest } from '../../../kernel/pages';
import type {
  AccountOwned,
  AccountOwnedRepository,
} from '../../../platform/database/account-owned-repository';
import type { Tx } from '../../../platform/database/database';
import { type Principal, seesAllAccounts } from './principal';

/** What a repository provides for its resource. */
type Source<Item extends AccountOwned, Filter> = Pick<
  AccountOwnedRepository<Item, Filter>,
  'find' | 'list' | 'findParts' | 'lock'
>;

/** Who may read a resource that is not for its accounts, and what others are told. */
interface RestrictedReaders {
  readonly include: (caller: Principal) => boolean;
  readonly message: string;
}

/**
 * Reads one type of account-owned resource on behalf of a caller. The back office and platform systems see the items
 * of all accounts, other callers those of their own account. Items of other accounts are reported as missing.
 */
export class AccountScopedReader<Item extends AccountOwned, Filter extends { readonly accountId?: string }> {
  /**
   * @param name the resource's name in error messages, e.g. "transaction"
   * @param readers by default, all who see an item's account
   */
  constructor(
    readonly idPrefix: IdPrefix,
    private readonly name: string,
    private readonly source: Source<Item, Filter>,
    private readonly readers?: RestrictedReaders,
  ) {}

  /** @param members those to read, by default all @throws DomainError `forbidden` for others than the readers */
  async list<Member extends keyof Item = keyof Item>(
    caller: Principal,
    filter: Filter,
    request: CursorRequest,
    members?: readonly Member[],
  ): Promise<CursorPage<Readonly<Pick<Item, Member>>>> {
    this.assertMayRead(caller);
    const own = seesAllAccounts(caller) ? undefined : caller.accountId;
    const seesNone =
      own === null || (own !== undefined && filter.accountId !== undefined && filter.accountId !== own);
    if (seesNone) return { items: [], hasMore: false };
    const scoped = { ...filter, accountId: own ?? filter.accountId };
    return this.source.list(scoped, request, members);
  }

  /**
   * Reads what a text names: the item with this id, or else the items that one of the filters selects.
   * @returns at most `limit` items, newest first
   */
  async search(
    caller: Principal,
    text: string,
    filters: readonly Filter[],
    limit: number,
  ): Promise<readonly Readonly<Item>[]> {
    if (!this.mayRead(caller)) return [];
    const item = await this.find(caller, text);
    if (item !== null) return [item];
    const pages = await Promise.all(filters.map((filter) => this.list(caller, filter, { limit })));
    const found = new Map(pages.flatMap(({ items }) => items.map((one) => [one.id, one])));
    return [...found.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
  }

  /** Reads items that contain a part of a text. @returns at most `limit` items, newest first */
  async searchParts(caller: Principal, part: string, limit: number): Promise<readonly Readonly<Item>[]> {
    if (!this.mayRead(caller)) return [];
    if (seesAllAccounts(caller)) return this.source.findParts(part, null, limit);
    return caller.accountId === null ? [] : this.source.findParts(part, caller.accountId, limit);
  }

  /** @throws DomainError `not_found`; `forbidden` for others than the readers */
  async get(caller: Principal, id: string): Promise<Readonly<Item>> {
    this.assertMayRead(caller);
    return this.getOrThrow(await this.find(caller, id));
  }

  /** Locks an item, whose account the caller knows, until `tx` ends. @throws DomainError `not_found` */
  async lock(tx: Tx, accountId: string, id: string): Promise<Readonly<Item>> {
    return this.getOrThrow(await this.source.lock(tx, accountId, id));
  }

  private mayRead(caller: Principal): boolean {
    return this.readers?.include(caller) ?? true;
  }

  private assertMayRead(caller: Principal): void {
    if (!this.mayRead(caller)) throw new DomainError('forbidden', this.readers!.message);
  }

  private getOrThrow(item: Item | null): Item {
    if (item === null) throw new DomainError('not_found', `There is no such ${this.name}.`);
    return item;
  }

  private async find(caller: Principal, id: string): Promise<Item | null> {
    if (!isId(this.idPrefix, id)) return null;
    if (seesAllAccounts(caller)) return this.source.find(id, null);
    return caller.accountId === null ? null : this.source.find(id, caller.accountId);
  }
}
