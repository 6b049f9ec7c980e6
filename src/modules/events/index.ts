export { EventRenderer, EventSummaries, EventSums } from './log/event';
export { EventFeed } from './log/event-feed.service';
export type { Event, EventSum } from './log/event';
export { DeliveryReplay, WebhookDeliveries } from './webhooks/deliveries/webhook-deliveries';
export type { FailedDeliveries, ReplaySelection } from './webhooks/deliveries/webhook-deliveries';
export { DisabledNotices } from './webhooks/disabled-endpoints';
export type { EndpointCount, UnhealthyEndpoints } from './webhooks/webhook-endpoint';
export type { DisabledNotice } from './webhooks/disabled-endpoints';
