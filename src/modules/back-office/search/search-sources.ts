import { ExtensionPoint } from '../../../kernel/extension-point';
import { isId } from '../../../kernel/ids';
import type { AccountOwned } from '../../../platform/database/account-owned-repository';
import type { ResponseClass } from '../../../platform/versions/api-change';
import type { AccountScopedReader, Principal } from '../../auth';

/** A resource that a text names. */
export interface SearchHit {
  readonly id: string;
  /** The account that the resource belongs to; null where there is none. */
  readonly accountId: string | null;
  /** The resource as the API shows it, without secrets. */
  readonly object: object;
}

/** Finds the resources of one type. */
export interface SearchSource {
  /** The type of the resource, for example `transaction`. */
  readonly name: string;
  /** The scope with which API keys find the resources; null when they cannot. */
  readonly scope: string | null;
  /** The class of the resource in the API. Without it, all versions of the API have the same. */
  readonly response?: ResponseClass;
  /**
   * Returns resources that the text names exactly, by their id or otherwise, and that the caller may see, newest first.
   * @param limit how many are returned at most
   */
  find(caller: Principal, text: string, limit: number): Promise<readonly SearchHit[]>;
  /** Returns resources that contain a text of three letters or digits at least, and that the caller may see, newest first. */
  findParts?(caller: Principal, part: string, limit: number): Promise<readonly SearchHit[]>;
}

/**
 * A reference as it was typed, in capital letters, in small ones and capitalized. Each is a look-up in the index of
 * references; any other mixture would need its own index.
 */
export function spellCases(reference: string): string[] {
  const lower = reference.toLowerCase();
  const capitalized = lower.charAt(0).toUpperCase() + lower.slice(1);
  return [...new Set([reference, reference.toUpperCase(), lower, capitalized])];
}

/** What can be searched. Modules register their resources. */
export class SearchSources extends ExtensionPoint<SearchSource> {}

/**
 * The source of a resource that accounts own, or that is stored under another id where it belongs to no account.
 * @param options.filters filters of the list that select what the text names, besides the id
 */
export function accountOwnedSource<Item extends AccountOwned, Filter extends object>(options: {
  readonly name: string;
  readonly scope: string | null;
  readonly reader: Pick<AccountScopedReader<Item, Filter>, 'search'> &
    Partial<Pick<AccountScopedReader<Item, Filter>, 'searchParts'>>;
  readonly filters: (text: string) => readonly Filter[];
  readonly response?: ResponseClass;
  readonly render: (item: Readonly<Item>) => object;
}): SearchSource {
  const { name, scope, reader, filters, response, render } = options;
  const toHit = (item: Readonly<Item>): SearchHit => ({
    id: item.id,
    accountId: isId('acc', item.accountId) ? item.accountId : null,
    object: render(item),
  });
  return {
    name,
    scope,
    response,
    find: async (caller, text, limit) => (await reader.search(caller, text, filters(text), limit)).map(toHit),
    findParts: async (caller, part, limit) =>
      ((await reader.searchParts?.(caller, part, limit)) ?? []).map(toHit),
  };
}
