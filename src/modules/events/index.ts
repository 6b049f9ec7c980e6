export { eventResponse } from './log/domain/event';
export type { Event } from './log/domain/event';
export { EventFeed } from './log/application/event-feed';
export { WebhookDeliveries } from './webhooks/application/webhook-deliveries.service';
export type { FailedDeliveries } from './webhooks/domain/webhook-deliveries.repository';
export { DeliveryReplay } from './webhooks/application/delivery-replay';
export type { ReplaySelection } from './webhooks/application/delivery-replay';
