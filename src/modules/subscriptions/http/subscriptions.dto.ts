import { Metadata } from '../../../kernel/metadata';
import { CursorPage } from '../../../kernel/pages';
import { canceledAnswer, CanceledAnswer } from '../../../platform/http/canceled-answer';
import { CursorListAnswer, cursorListAnswer, CursorListQuery } from '../../../platform/http/cursor-list';
import {
  Amount,
  Currency,
  Email,
  exampleId,
  Id,
  MetadataField,
  Moment,
  OneOf,
  Reference,
  Shown,
  Text,
} from '../../../platform/http/fields';
import { Interval, intervals } from '../domain/schedule';
import { Subscription } from '../domain/subscription';
import { subscriptionLifecycle, SubscriptionStatus } from '../domain/subscription.lifecycle';

export class CreateSubscriptionRequest {
  @Id('acc')
  account_id: string;

  @Amount()
  amount: number;

  @Currency()
  currency: string;

  @Email()
  customer_email: string;

  @OneOf(intervals, { description: 'How long a period is, by the UTC calendar.' })
  interval: Interval;

  @Reference()
  reference?: string | null;

  @MetadataField()
  metadata?: Metadata | null;
}

export class ListSubscriptionsQuery extends CursorListQuery('sub', 'subscriptions') {
  @OneOf(subscriptionLifecycle.states, { optional: true, description: 'Only subscriptions of this status.' })
  status?: SubscriptionStatus;

  @Text(0, 254, 'customer@example.com', {
    optional: true,
    description: 'Only subscriptions of this customer.',
  })
  customer_email?: string;
}

export class SubscriptionAnswer {
  @Shown({ type: 'string', example: exampleId('sub') })
  id: string;

  @Shown({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @Shown({ type: 'integer', example: 1250, description: 'Minor units, each period.' })
  amount: number;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'string', enum: [...subscriptionLifecycle.states] })
  status: SubscriptionStatus;

  @Shown({ type: 'string', example: 'customer@example.com' })
  customer_email: string;

  @Shown({ type: 'string', enum: [...intervals] })
  interval: Interval;

  @Shown({ type: 'string', nullable: true, example: 'invoice-2041' })
  reference: string | null;

  @Shown({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @Shown({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: '2026-02-28T09:30:00.000Z',
    description: 'When the customer is asked next; null once it is canceled.',
  })
  next_payment_at: string | null;

  @Moment()
  created_at: string;

  @Moment()
  updated_at: string;
}

export class SubscriptionsAnswer extends CursorListAnswer(SubscriptionAnswer) {}

export class CanceledSubscriptionAnswer extends CanceledAnswer('sub', 'subscription') {}

export function subscriptionAnswer(subscription: Subscription): SubscriptionAnswer {
  const { id, accountId, amount, currency, status, customerEmail, interval, reference, metadata } =
    subscription;
  return {
    id,
    account_id: accountId,
    amount,
    currency,
    status,
    customer_email: customerEmail,
    interval,
    reference,
    metadata,
    next_payment_at: subscription.nextPaymentAt?.toISOString() ?? null,
    created_at: subscription.createdAt.toISOString(),
    updated_at: subscription.updatedAt.toISOString(),
  };
}

export function subscriptionsAnswer(page: CursorPage<Subscription>): SubscriptionsAnswer {
  return cursorListAnswer(page, subscriptionAnswer);
}

export function canceledSubscriptionAnswer(subscription: Subscription): CanceledSubscriptionAnswer {
  return canceledAnswer(
    subscription,
    'The subscription was canceled. The payment requests that it has made stay as they are.',
  );
}
