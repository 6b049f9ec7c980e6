import type { CursorPage, CursorRequest } from '../../kernel/pages';
import type { Tx } from './tx';

/** An entity that an account owns: it is stored under the account's id. */
export interface AccountOwned {
  readonly accountId: string;
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * Filters a list of entities by the values of text members, those of its `ListFilters`, and by inclusive bounds of the
 * creation time.
 */
export type AccountOwnedFilter<Entity> = {
  readonly accountId?: string;
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
} & {
  readonly [Member in keyof Entity as Entity[Member] extends string | null ? Member : never]?: NonNullable<
    Entity[Member]
  >;
};

/** Filters a list by inclusive bounds of the amount, in minor units. */
export interface AmountFilter {
  readonly amountMin?: number;
  readonly amountMax?: number;
}

/** The order of a list: by default descending. Its cursors follow it. */
export interface ListOrder {
  readonly order?: 'asc' | 'desc';
}

/** The order of a list with amounts: by the time of creation by default. */
export interface AmountOrder extends ListOrder {
  readonly sort?: 'created_at' | 'amount';
}

/** Rows that wait for somebody, counted and added up to a limit, the oldest first. */
export interface Backlog {
  readonly count: number;
  /** Whether the count has reached the limit, so that there may be more. */
  readonly isCut: boolean;
  /** The sums of those that are counted in minor units, by currency. */
  readonly amounts: ReadonlyMap<string, bigint>;
  readonly oldest: AccountOwned | null;
}

/** The port that repositories of account-owned entities share. AccountOwnedTable implements it. */
export abstract class AccountOwnedRepository<Entity extends AccountOwned, Filter> {
  /** @param accountId the account to look in; null looks in all accounts */
  abstract find(id: string, accountId: string | null): Promise<Entity | null>;
  /** @param members those to read, where the caller needs few; all by default */
  abstract list<Member extends keyof Entity = keyof Entity>(
    filter: Filter,
    page: CursorRequest,
    members?: readonly Member[],
  ): Promise<CursorPage<Pick<Entity, Member>>>;
  /**
   * Finds entities by a part of their text, if it can be searched.
   * @param accountId the account to look in, among its newest; null looks in all accounts
   * @returns at most `limit`, newest first
   */
  abstract findParts(part: string, accountId: string | null, limit: number): Promise<Entity[]>;
  /** Locks the entity until `tx` ends. */
  abstract lock(tx: Tx, accountId: string, id: string): Promise<Entity | null>;
  abstract add(tx: Tx, entity: Readonly<Entity>): void;
  abstract save(tx: Tx, entity: Readonly<Entity>): void;
}
