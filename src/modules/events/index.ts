export { EventFeed, EventRenderer } from './log/event';
export type { Event } from './log/event';
export { EventSummaries, EventSums } from './log/event-sums';
export type { EventSum } from './log/event-sums';
export { DeliveryReplay, WebhookDeliveries } from './webhooks/deliveries/webhook-deliveries';
export type { FailedDeliveries, ReplaySelection } from './webhooks/deliveries/webhook-deliveries';
export { DisabledNotices } from './webhooks/disabled-endpoints';
export type { EndpointCount, UnhealthyEndpoints } from './webhooks/webhook-endpoint';
export type { DisabledNotice } from './webhooks/disabled-endpoints';
