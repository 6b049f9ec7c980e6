export { intervals, startOfPeriod } from './domain/schedule';
export { subscriptions, SubscriptionsModule } from './subscriptions.module';
