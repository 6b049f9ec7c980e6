import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answer } from '../../../platform/database/idempotency';
import { filterOf } from '../../../platform/http/cursor-list';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { cursorOf } from '../../../platform/http/query-fields';
import { Caller, IdempotencyKey, Principal, Repeatable } from '../../auth';
import { Subscriptions } from '../application/subscriptions.service';
import {
  canceledSubscriptionAnswer,
  CanceledSubscriptionAnswer,
  CreateSubscriptionRequest,
  ListSubscriptionsQuery,
  subscriptionAnswer,
  SubscriptionAnswer,
  subscriptionsAnswer,
  SubscriptionsAnswer,
} from './subscriptions.dto';

/** Payment requests again and again; beyond the interface, which knows subscriptions only as what blocks a closing. */
@ApiTags('Subscriptions')
@Controller('v1/subscriptions')
export class SubscriptionsController {
  constructor(private readonly subscriptions: Subscriptions) {}

  @Post()
  @Operation({
    id: 'createSubscription',
    summary: 'Ask a customer for money again and again',
    access: 'required',
    idempotent: true,
    refusals: ['account_not_found', 'forbidden'],
    description:
      'The first payment request is made at once, then one each period, with the reference and metadata given here. What begins on the 31st is billed on the last day of shorter months. Periods that fall while the account is suspended are skipped.',
    answers: { status: 201, type: SubscriptionAnswer, description: 'The new subscription.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSubscriptionRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    return this.subscriptions.create(caller, body, { ...request, render: subscriptionAnswer });
  }

  @Get()
  @Operation({
    id: 'listSubscriptions',
    summary: 'List subscriptions',
    access: 'required',
    refusals: [],
    description:
      "Newest first: those of the token's account, or of all accounts for admins and platform systems.",
    answers: { status: 200, type: SubscriptionsAnswer, description: 'One page.' },
  })
  async list(
    @Caller() caller: Principal,
    @Query() query: ListSubscriptionsQuery,
  ): Promise<SubscriptionsAnswer> {
    const { status, customer_email: customerEmail } = query;
    const filter = { ...filterOf(query), status, customerEmail };
    return subscriptionsAnswer(await this.subscriptions.list(caller, filter, cursorOf(query)));
  }

  @Get(':subscription_id')
  @Operation({
    id: 'getSubscription',
    summary: 'Retrieve a subscription',
    access: 'required',
    refusals: ['not_found'],
    answers: { status: 200, type: SubscriptionAnswer, description: 'The subscription.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('subscription_id', 'sub', 'The id of the subscription.') id: string,
  ): Promise<SubscriptionAnswer> {
    return subscriptionAnswer(await this.subscriptions.get(caller, id));
  }

  @Delete(':subscription_id')
  @Operation({
    id: 'cancelSubscription',
    summary: 'Cancel an active subscription',
    access: 'required',
    refusals: ['not_found', 'not_cancellable'],
    description: 'It stays on record. The payment requests that it has made stay as they are.',
    answers: { status: 200, type: CanceledSubscriptionAnswer, description: 'It was canceled.' },
  })
  async cancel(
    @Caller() caller: Principal,
    @PathId('subscription_id', 'sub', 'The id of the subscription.') id: string,
  ): Promise<CanceledSubscriptionAnswer> {
    return canceledSubscriptionAnswer(await this.subscriptions.cancel(caller, id));
  }
}
