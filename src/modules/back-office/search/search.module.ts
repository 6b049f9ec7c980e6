import { Module } from '@nestjs/common';
import { ServiceModule } from '../../../platform/service-module';
import { Search } from './application/search.service';
import { SearchSources } from './domain/search-sources';
import { SearchController } from './http/search.controller';

/** One field that finds resources of all modules, which register what can be found. */
@Module({
  controllers: [SearchController],
  providers: [Search, SearchSources],
  exports: [SearchSources],
})
export class SearchModule {}

export const search: ServiceModule = {
  module: SearchModule,
  entities: [],
  tags: [{ name: 'Search', description: 'One field for ids, emails and references.' }],
};
