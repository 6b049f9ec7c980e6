export { webhooks } from './webhooks.module';
export { DeliveryReplay } from './application/delivery-replay';
export type { ReplaySelection } from './application/delivery-replay';
