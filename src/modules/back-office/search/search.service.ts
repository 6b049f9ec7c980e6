import { Injectable } from '@nestjs/common';
import { looksLikeId } from '../../../kernel/ids';
import { isSearchable } from '../../../platform/database/lists/folded-text';
import { ResponseClass } from '../../../platform/versions/api-change';
import { Principal } from '../../auth';
import { SearchHit, SearchSource, SearchSources } from './search-sources';

/** How many resources of one type are found at most. */
const MAX_HITS = 10;

export interface FoundResource extends SearchHit {
  readonly type: string;
  readonly response?: ResponseClass;
}

export interface SearchResult {
  readonly items: readonly FoundResource[];
  /** Whether the text names more resources of a type than are returned. */
  readonly hasMore: boolean;
}

@Injectable()
export class Search {
  constructor(private readonly sources: SearchSources) {}

  /** Finds whatever the text names, or is a part of, among what the caller may see: types in the order of the modules, newest first. */
  async find(caller: Principal, text: string): Promise<SearchResult> {
    const sources = this.sources.members.filter(({ scope }) => isOpen(caller, scope));
    const lowerCase = text.toLowerCase();
    const name = looksLikeId(lowerCase) ? lowerCase : text;
    const found = await Promise.all(sources.map((source) => this.findIn(source, caller, name)));
    return {
      items: found.flatMap((hits) => hits.slice(0, MAX_HITS)),
      hasMore: found.some(({ length }) => length > MAX_HITS),
    };
  }

  /** What the text names exactly comes before what contains it. An id names one resource. */
  private async findIn(source: SearchSource, caller: Principal, text: string): Promise<FoundResource[]> {
    const limit = MAX_HITS + 1;
    const hasParts = isSearchable(text) && !looksLikeId(text);
    const [exact, parts = []] = await Promise.all([
      source.find(caller, text, limit),
      hasParts ? source.findParts?.(caller, text, limit) : [],
    ]);
    const hits = new Map([...exact, ...parts].map((hit) => [hit.id, hit]));
    return [...hits.values()]
      .slice(0, limit)
      .map((hit) => ({ type: source.name, response: source.response, ...hit }));
  }
}

function isOpen({ scopes }: Principal, scope: string | null): boolean {
  return scopes === null || (scope !== null && scopes.includes(scope));
}
