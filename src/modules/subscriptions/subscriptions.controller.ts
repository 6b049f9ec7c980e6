import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Metadata } from '../../kernel/metadata';
import { IdempotentRequest } from '../../platform/database/database';
import {
  accountOwnedAmountResponse,
  AccountOwnedAmountResponse,
  accountOwnedOperations,
  CreateAccountOwnedAmountRequest,
} from '../../platform/http/account-owned-resource';
import { listOrCsv } from '../../platform/http/csv-export';
import {
  CursorListQuery,
  customerEmailFilter,
  FormatParam,
  ListFormat,
  parseListRequest,
  referenceFilter,
} from '../../platform/http/list-query';
import { EmailField, EnumField, field, MetadataField } from '../../platform/http/request-fields';
import {
  canceledResponse,
  CanceledResponse,
  cursorListResponse,
  CursorListResponse,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { AccountReader } from '../accounts';
import { Caller, IdempotencyKey, Principal } from '../auth/http';
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
import { Interval, intervals, Subscription, subscriptionLifecycle } from './subscription';
import { Subscriptions } from './subscriptions.service';

nameEnum('SubscriptionStatus', subscriptionLifecycle.states);
nameEnum('Interval', intervals);

class CreateSubscriptionRequest extends CreateAccountOwnedAmountRequest {
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

class ListSubscriptionsQuery extends CursorListQuery('sub', 'subscriptions', {
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

class SubscriptionsResponse extends CursorListResponse(SubscriptionResponse) {}

class CanceledSubscriptionResponse extends CanceledResponse('sub', 'subscription') {}

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

const operations = accountOwnedOperations('subscription', 'sub', { scope: 'subscriptions' });

/** Recurring payment requests. The interface mentions subscriptions only where they block the closing of an account. */
@ApiTags('Subscriptions')
@Controller('v1/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly accounts: AccountReader,
  ) {}

  @operations.Create(SubscriptionResponse, {
    errors: ['account_not_found'],
    description:
      'The first payment request is created at once, and then one each period, with the reference and metadata of the subscription. A subscription that starts on the 31st bills on the last day of shorter months. Periods in which the account is suspended are skipped.',
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSubscriptionRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.subscriptions.create(caller, body, { ...request, render: subscriptionResponse });
  }

  @operations.List(SubscriptionsResponse)
  list(@Caller() caller: Principal, @Query() query: ListSubscriptionsQuery) {
    return listOrCsv(
      SubscriptionsResponse,
      query,
      async (part) => {
        const { filter, page } = parseListRequest(part);
        return cursorListResponse(await this.subscriptions.list(caller, filter, page), subscriptionResponse);
      },
      this.accounts,
    );
  }

  @operations.Get(SubscriptionResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string) {
    return subscriptionResponse(await this.subscriptions.get(caller, id));
  }

  @operations.Cancel(CanceledSubscriptionResponse, {
    summary: 'Cancel an active subscription',
    description: 'The subscription stays on record, and its payment requests stay as they are.',
  })
  async cancel(@Caller() caller: Principal, @operations.Id() id: string) {
    const subscription = await this.subscriptions.cancel(caller, id);
    return canceledResponse(
      subscription,
      'The subscription was canceled. Its payment requests stay as they are.',
    );
  }
}
