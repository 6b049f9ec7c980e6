import { Module } from '@nestjs/common';
import { ServiceModule } from '../../../platform/service-module';
import { Search } from './search.service';
import { SearchSources } from './search-sources';
import { SearchController } from './search.controller';

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
  tags: [{ name: 'Search', description: 'One field for ids, names, emails and references.' }],
};
