import { Global, Module } from '@nestjs/common';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { exportAsCsv } from '../../../platform/http/csv-export';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { accountOwnedSource, SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { EventFeed } from './application/event-feed';
import { EventMetrics } from './application/event-metrics';
import { EventRecording } from './application/event-recording';
import { Events } from './application/events.service';
import { eventResponse } from './domain/event';
import { EventsRepository } from './domain/events.repository';
import { EventsController } from './http/events.controller';
import { EventsResponse } from './http/events.dto';
import { eventSchema, feedEntrySchema } from './infrastructure/event.schema';
import { SqlEventsRepository } from './infrastructure/sql-events.repository';

exportAsCsv(EventsController, 'list', EventsResponse);

/** The changes of all resources. It provides the recorder to all modules, also to those below it. */
@Global()
@Module({
  imports: [SearchModule],
  controllers: [EventsController],
  providers: [
    Events,
    EventFeed,
    EventMetrics,
    { provide: EventRecorder, useClass: EventRecording },
    { provide: EventsRepository, useClass: SqlEventsRepository },
    register(PeriodicTasks, [Events], ({ expiry }) => expiry),
    register(SearchSources, [Events], (reader) =>
      accountOwnedSource({
        name: 'event',
        scope: 'webhooks',
        reader,
        filters: () => [],
        render: eventResponse,
      }),
    ),
  ],
  exports: [EventRecorder, EventFeed],
})
class EventsModule {}

export const events: ServiceModule = {
  module: EventsModule,
  entities: [eventSchema, feedEntrySchema],
  idPrefixes: ['evt'],
  tags: [{ name: 'Events', description: 'What has changed in the last 30 days.' }],
};
