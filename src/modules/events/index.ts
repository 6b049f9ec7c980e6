export { eventResponse } from './log/domain/event';
export type { Event } from './log/domain/event';
export { EventFeed } from './log/application/event-feed';
export { WebhookDeliveries } from './webhooks/domain/webhook-deliveries';
export type { FailedDeliveries } from './webhooks/domain/webhook-deliveries.repository';
export { DeliveryReplay } from './webhooks/domain/delivery-replay';
export type { ReplaySelection } from './webhooks/domain/delivery-replay';
export { DisabledNotices } from './webhooks/domain/disabled-notices';
export type { DisabledNotice } from './webhooks/domain/disabled-notices';
