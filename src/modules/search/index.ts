export { accountOwnedSource, casesOf, SearchSources } from './domain/search-sources';
export type { SearchHit, SearchSource } from './domain/search-sources';
