import { Global, Module, OnModuleInit } from '@nestjs/common';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { exportAsCsv } from '../../../platform/http/csv-export';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
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
  ],
  exports: [EventRecorder, EventFeed],
})
class EventsModule implements OnModuleInit {
  constructor(
    private readonly events: Events,
    private readonly periodicTasks: PeriodicTasks,
    private readonly search: SearchSources,
  ) {}

  onModuleInit(): void {
    this.search.register(
      accountOwnedSource({
        name: 'event',
        scope: 'webhooks',
        reader: this.events,
        filters: () => [],
        render: eventResponse,
      }),
    );
    this.periodicTasks.register(this.events.expiry);
  }
}

export const events: ServiceModule = {
  module: EventsModule,
  entities: [eventSchema, feedEntrySchema],
  idPrefixes: ['evt'],
  tags: [{ name: 'Events', description: 'What has changed in the last 30 days.' }],
};
