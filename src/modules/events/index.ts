export type { Event } from './log/domain/event';
export { EventFeed } from './log/application/event-feed';
export { EventResponse, eventResponse } from './log/http/events.dto';
export { WebhookDeliveries } from './webhooks/application/webhook-deliveries.service';
export type { FailedDeliveries } from './webhooks/domain/webhook-deliveries.repository';
export { DeliveryReplay } from './webhooks/application/delivery-replay';
export type { ReplaySelection } from './webhooks/application/delivery-replay';
