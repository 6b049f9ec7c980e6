import { Body, Controller, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../platform/database/database';
import { accountOwnedOperations } from '../../platform/http/account-owned-resource';
import { listOrCsv } from '../../platform/http/csv-export';
import { parseListRequest } from '../../platform/http/list-query';
import { canceledResponse, cursorListResponse } from '../../platform/http/response-fields';
import { AccountReader } from '../accounts';
import { Principal } from '../auth';
import { Caller, IdempotencyKey } from '../auth/http';
import {
  CanceledSubscriptionResponse,
  CreateSubscriptionRequest,
  ListSubscriptionsQuery,
  subscriptionResponse,
  SubscriptionResponse,
  SubscriptionsResponse,
} from './subscriptions.dto';
import { Subscriptions } from './subscriptions.service';

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
  ): Promise<StoredResponse> {
    return this.subscriptions.create(caller, body, { ...request, render: subscriptionResponse });
  }

  @operations.List(SubscriptionsResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListSubscriptionsQuery,
  ): Promise<SubscriptionsResponse | StreamableFile> {
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
  async get(@Caller() caller: Principal, @operations.Id() id: string): Promise<SubscriptionResponse> {
    return subscriptionResponse(await this.subscriptions.get(caller, id));
  }

  @operations.Cancel(CanceledSubscriptionResponse, {
    summary: 'Cancel an active subscription',
    description: 'The subscription stays on record, and its payment requests stay as they are.',
  })
  async cancel(
    @Caller() caller: Principal,
    @operations.Id() id: string,
  ): Promise<CanceledSubscriptionResponse> {
    const subscription = await this.subscriptions.cancel(caller, id);
    return canceledResponse(
      subscription,
      'The subscription was canceled. Its payment requests stay as they are.',
    );
  }
}
