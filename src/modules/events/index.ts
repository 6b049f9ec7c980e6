export type { Event } from './domain/event';
export { EventFeed } from './application/event-feed';
export { EventResponse, eventResponse } from './http/events.dto';
