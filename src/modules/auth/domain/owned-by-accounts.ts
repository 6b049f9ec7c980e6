import { IdPrefix, isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { isOperator, Principal } from './principal';

/** Where it is stored. */
interface Store<Item, Filter> {
  /** Within one account, or (accountId null) in any. */
  find(id: string, accountId: string | null): Promise<Item | null>;
  list(filter: Filter, request: CursorRequest): Promise<CursorPage<Item>>;
}

/**
 * One kind of what accounts own, as far as a caller sees it: what is of their own account, and for admins and platform
 * systems what is of any. To everyone else it does not exist.
 */
export class OwnedByAccounts<Item, Filter extends { readonly accountId?: string }> {
  /** @param name what one of them is called, in words */
  constructor(
    private readonly prefix: IdPrefix,
    private readonly name: string,
    private readonly store: Store<Item, Filter>,
  ) {}

  /** @throws Refusal `invalid_request` for a cursor that is none of the caller's */
  async list(caller: Principal, filter: Filter, request: CursorRequest): Promise<CursorPage<Item>> {
    const own = isOperator(caller) ? undefined : caller.accountId;
    const cursor = request.startingAfter ?? request.endingBefore;
    if (cursor !== undefined && (await this.find(caller, cursor)) === null) {
      throw new Refusal('invalid_request', `The cursor is no ${this.name} of yours.`);
    }
    const seesNone =
      own === null || (own !== undefined && filter.accountId !== undefined && filter.accountId !== own);
    if (seesNone) return { items: [], hasMore: false };
    return this.store.list({ ...filter, accountId: own ?? filter.accountId }, request);
  }

  /** @throws Refusal `not_found` */
  async get(caller: Principal, id: string): Promise<Item> {
    return this.present(await this.find(caller, id));
  }

  /** What was looked up, if it is there. @throws Refusal `not_found` */
  present(item: Item | null): Item {
    if (item === null) throw new Refusal('not_found', `There is no such ${this.name}.`);
    return item;
  }

  private async find(caller: Principal, id: string): Promise<Item | null> {
    if (!isId(this.prefix, id)) return null;
    if (isOperator(caller)) return this.store.find(id, null);
    return caller.accountId === null ? null : this.store.find(id, caller.accountId);
  }
}
