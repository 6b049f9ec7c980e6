import { Module } from '@nestjs/common';
import {
  accountOwnedSource,
  AccountsModule,
  PeriodicTasks,
  register,
  SearchModule,
  SearchSources,
  ServiceModule,
} from 'countinghouse';
import { SampleItemsController } from './sample-items.controller';
import { SampleItemResponse, sampleItemResponse } from './sample-items.dto';
import { SampleItems1798761600000 } from './sample-items.migration';
import { SampleItemExpiry, SampleItems } from './sample-items.service';
import { sampleItemSchema, SampleItemsTable } from './sample-items.table';

@Module({
  imports: [AccountsModule, SearchModule],
  controllers: [SampleItemsController],
  providers: [
    SampleItems,
    SampleItemExpiry,
    SampleItemsTable,
    register(PeriodicTasks, [SampleItemExpiry], (expiry) => expiry),
    register(SearchSources, [SampleItems], (reader) =>
      accountOwnedSource({
        name: 'sample_item',
        scope: 'sample_items:read',
        reader,
        filters: (reference) => [{ reference }],
        render: sampleItemResponse,
      }),
    ),
  ],
})
class SampleItemsModule {}

/** Everything that sample items bring to a service. */
export const sampleItems: ServiceModule = {
  module: SampleItemsModule,
  entities: [sampleItemSchema],
  migrations: [SampleItems1798761600000],
  idPrefixes: ['smpl'],
  scopes: [
    { name: 'sample_items:read', within: 'transactions:read' },
    { name: 'sample_items:write', within: 'transactions:write' },
  ],
  events: [
    {
      resource: 'sample_item',
      scope: 'sample_items:read',
      actions: {
        created: 'The sample item was created.',
        canceled: 'The sample item was canceled.',
        expired: 'The sample item has expired.',
      },
      response: SampleItemResponse,
      render: sampleItemResponse,
    },
  ],
  tags: [{ name: 'Sample items', description: 'Sample items of an account.' }],
};
