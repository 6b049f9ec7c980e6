import { Module } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { ClosingHooks } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, SearchSources, spellCases } from '../back-office';
import { SearchModule } from '../back-office/search/search.module';
import { PaymentRequestsModule } from '../payment-requests/payment-requests.module';
import {
  subscriptionResponse,
  SubscriptionResponse,
  SubscriptionsController,
} from './subscriptions.controller';
import { subscriptionSchema, SubscriptionsRepository } from './subscriptions.repository';
import { Subscriptions } from './subscriptions.service';

/** Recurring payment requests: one to the same customer each period. */
@Module({
  imports: [AccountsModule, PaymentRequestsModule, SearchModule],
  controllers: [SubscriptionsController],
  providers: [
    Subscriptions,
    SubscriptionsRepository,
    register(SearchSources, [Subscriptions], (reader) =>
      accountOwnedSource({
        name: 'subscription',
        scope: 'subscriptions:read',
        reader,
        filters: (text) => [...spellCases(text).map((reference) => ({ reference })), { customerEmail: text }],
        response: SubscriptionResponse,
        render: subscriptionResponse,
      }),
    ),
    register(ClosingHooks, [Subscriptions], (subscriptions) => ({
      name: 'subscriptions',
      veto: (tx, account) => subscriptions.assertNoneActive(tx, account),
    })),
    register(PeriodicTasks, [Subscriptions], ({ billing }) => billing),
  ],
})
export class SubscriptionsModule {}

export const subscriptions: ServiceModule = {
  module: SubscriptionsModule,
  entities: [subscriptionSchema],
  idPrefixes: ['sub'],
  tags: [
    {
      name: 'Subscriptions',
      description: 'Request the same payment from a customer every day, week, month or year.',
    },
  ],
  events: [
    {
      resource: 'subscription',
      scope: 'subscriptions:read',
      actions: {
        created: 'A subscription was created.',
        updated: 'A period of a subscription has begun.',
        canceled: 'A subscription was canceled.',
      },
      examples: {
        created: { interval: 'month' },
        updated: { interval: 'month' },
        canceled: { interval: 'month', next_payment_at: null },
      },
      response: SubscriptionResponse,
      render: subscriptionResponse,
    },
  ],
};
