import { Injectable } from '@nestjs/common';
import { Principal } from '../../auth';
import { SearchHit, SearchSource, SearchSources } from './search-sources';

/** What an id looks like, in upper or lower case. */
const ID = /^[a-z]+_[0-9a-z]{26}$/i;

/** How many resources of one type are found at most. */
const MAX_HITS = 10;

export interface FoundResource extends SearchHit {
  readonly type: string;
}

export interface SearchResult {
  readonly items: readonly FoundResource[];
  /** Whether the text names more resources of a type than are returned. */
  readonly hasMore: boolean;
}

@Injectable()
export class Search {
  constructor(private readonly sources: SearchSources) {}

  /** Finds whatever the text names among what the caller may see: types in the order of the modules, newest first. */
  async find(caller: Principal, text: string): Promise<SearchResult> {
    const sources = this.sources.members.filter(({ scope }) => isOpen(caller, scope));
    const name = ID.test(text) ? text.toLowerCase() : text;
    const found = await Promise.all(sources.map((source) => this.findIn(source, caller, name)));
    return {
      items: found.flatMap((hits) => hits.slice(0, MAX_HITS)),
      hasMore: found.some(({ length }) => length > MAX_HITS),
    };
  }

  private async findIn(source: SearchSource, caller: Principal, text: string): Promise<FoundResource[]> {
    const hits = await source.find(caller, text, MAX_HITS + 1);
    return hits.map((hit) => ({ type: source.name, ...hit }));
  }
}

function isOpen({ scopes }: Principal, scope: string | null): boolean {
  return scopes === null || (scope !== null && scopes.includes(scope));
}
