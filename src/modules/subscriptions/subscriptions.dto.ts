import { Metadata } from '../../kernel/metadata';
import {
  AccountOwnedAmountResponse,
  accountOwnedAmountResponse,
  CreateAccountOwnedAmountRequest,
} from '../../platform/http/account-owned-resource';
import {
  FormatParam,
  ListFormat,
  CursorListQuery,
  customerEmailFilter,
  referenceFilter,
} from '../../platform/http/list-query';
import { EmailField, EnumField, field, MetadataField } from '../../platform/http/request-fields';
import {
  CursorListResponse,
  CanceledResponse,
  ResponseField,
  Timestamp,
  nameEnum,
} from '../../platform/http/response-fields';
import {
  NewSplit,
  returnUrlDescriptions,
  returnUrlMembers,
  returnUrlRule,
  SplitResponse,
  splitsDescription,
  splitsMember,
  splitsRule,
  splitsSchema,
} from '../payment-requests';
import { Interval, intervals } from './schedule';
import { Subscription } from './subscription';
import { subscriptionLifecycle } from './subscription.lifecycle';

nameEnum('SubscriptionStatus', subscriptionLifecycle.states);
nameEnum('Interval', intervals);

export class CreateSubscriptionRequest extends CreateAccountOwnedAmountRequest {
  @EmailField() customer_email: string;
  @EnumField(intervals, { description: 'The length of a period, by the UTC calendar.' }) interval: Interval;
  @MetadataField() metadata?: Metadata | null;

  @field(returnUrlRule, { optional: true, nullable: true, description: returnUrlDescriptions.returnUrl })
  return_url?: string | null;

  @field(returnUrlRule, { optional: true, nullable: true, description: returnUrlDescriptions.cancelUrl })
  cancel_url?: string | null;

  @field(splitsRule, { optional: true, inExample: false, description: splitsDescription })
  splits?: NewSplit[];
}

export class ListSubscriptionsQuery extends CursorListQuery('sub', 'subscriptions', {
  status: subscriptionLifecycle.states,
  customer_email: customerEmailFilter,
  reference: referenceFilter,
}) {
  @FormatParam() format?: ListFormat;
}

export class SubscriptionResponse extends AccountOwnedAmountResponse('sub', subscriptionLifecycle.states) {
  @ResponseField({ example: 'customer@example.com' }) customer_email: string;
  @ResponseField({ enum: intervals }) interval: Interval;
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;

  @ResponseField({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @Timestamp('When the next payment request is created; null once the subscription is canceled.', {
    nullable: true,
    example: '2026-02-28T09:30:00.000Z',
  })
  next_payment_at: string | null;

  @ResponseField({ ...returnUrlRule.schema, required: false, description: 'Only where it was given.' })
  return_url?: string;

  @ResponseField({ ...returnUrlRule.schema, required: false, description: 'Only where it was given.' })
  cancel_url?: string;

  @ResponseField({ ...splitsSchema, required: false, description: 'Only where there are some.' })
  splits?: SplitResponse[];

  @Timestamp() updated_at: string;
}

export class SubscriptionsResponse extends CursorListResponse(SubscriptionResponse) {}

export class CanceledSubscriptionResponse extends CanceledResponse('sub', 'subscription') {}

export function subscriptionResponse(subscription: Readonly<Subscription>): SubscriptionResponse {
  const { customerEmail, interval, reference, metadata } = subscription;
  return accountOwnedAmountResponse(subscription, {
    customer_email: customerEmail,
    interval,
    reference,
    metadata,
    next_payment_at: subscription.nextPaymentAt?.toISOString() ?? null,
    updated_at: subscription.updatedAt.toISOString(),
    ...returnUrlMembers(subscription),
    ...splitsMember(subscription),
  });
}
