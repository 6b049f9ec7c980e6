export { type Event, EventRenderer, type EventSum, EventSummaries, EventSums } from './log/event';
export { EventFeed } from './log/event-feed.service';
export { WebhookDeliveries } from './webhooks/deliveries/webhook-deliveries';
export type { FailedDeliveries, ReplaySelection } from './webhooks/deliveries/webhook-deliveries';
export { type DisabledNotice, DisabledNotices } from './webhooks/disabled-endpoints';
export type { EndpointCount, UnhealthyEndpoints } from './webhooks/webhook-endpoint';
