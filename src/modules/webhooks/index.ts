export { WebhookDeliveries } from './application/webhook-deliveries.service';
export type { FailedDeliveries } from './domain/webhook-deliveries.repository';
export { DeliveryReplay } from './application/delivery-replay';
export type { ReplaySelection } from './application/delivery-replay';
