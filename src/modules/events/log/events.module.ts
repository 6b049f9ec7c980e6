import { Global, Module } from '@nestjs/common';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { accountOwnedSource, SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { EventRenderer, EventSummaries, EventSums } from './event';
import { EventFeed } from './event-feed.service';
import { EventResponse, EventsController, EventsView } from './events.controller';
import { eventPurgeSchema, eventSchema, EventsRepository, feedEntrySchema } from './events.repository';
import { cursorExpired, EventRecording, Events } from './events.service';

/** The changes of all resources. It provides the recorder to all modules, also to those below it. */
@Global()
@Module({
  imports: [SearchModule],
  controllers: [EventsController],
  providers: [
    Events,
    EventsRepository,
    EventsView,
    { provide: EventRenderer, useExisting: EventsView },
    EventFeed,
    { provide: EventRecorder, useClass: EventRecording },
    { provide: EventSums, useExisting: EventsRepository },
    EventSummaries,
    register(PeriodicTasks, [Events], ({ expiry }) => expiry),
    register(SearchSources, [Events, EventsView], (reader, view) =>
      accountOwnedSource({
        name: 'event',
        scope: 'events:read',
        reader,
        filters: () => [],
        response: EventResponse,
        render: (event) => view.render(event),
      }),
    ),
  ],
  exports: [EventRecorder, EventFeed, EventRenderer, EventSummaries, EventSums],
})
class EventsModule {}

export const events: ServiceModule = {
  module: EventsModule,
  entities: [eventSchema, feedEntrySchema, eventPurgeSchema],
  errorCodes: [cursorExpired],
  idPrefixes: ['evt'],
  tags: [{ name: 'Events', description: 'What has changed in the last 30 days.' }],
};
