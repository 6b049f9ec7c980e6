export { search, SearchModule } from './search.module';
export { accountOwnedSource, SearchSources } from './domain/search-sources';
export type { SearchHit, SearchSource } from './domain/search-sources';
