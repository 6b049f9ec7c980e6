export { subscriptions, SubscriptionsModule } from './subscriptions.module';
