export { webhooks } from './webhooks.module';
