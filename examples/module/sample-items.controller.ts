import { Body, Controller, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  accountOwnedOperations,
  Caller,
  canceledResponse,
  cursorListResponse,
  IdempotencyKey,
  IdempotentRequest,
  listOrCsv,
  parseListRequest,
  Principal,
  StoredResponse,
} from 'countinghouse';
import {
  CanceledSampleItemResponse,
  CreateSampleItemRequest,
  ListSampleItemsQuery,
  sampleItemResponse,
  SampleItemResponse,
  SampleItemsResponse,
} from './sample-items.dto';
import { SampleItems } from './sample-items.service';

const operations = accountOwnedOperations('sample item', 'smpl', { scope: 'sample_items' });

@ApiTags('Sample items')
@Controller('v1/sample-items')
export class SampleItemsController {
  constructor(private readonly items: SampleItems) {}

  @operations.Create(SampleItemResponse, { errors: ['not_found'] })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSampleItemRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<StoredResponse> {
    return this.items.create(caller, body, { ...request, render: sampleItemResponse });
  }

  @operations.List(SampleItemsResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListSampleItemsQuery,
  ): Promise<SampleItemsResponse | StreamableFile> {
    return listOrCsv(SampleItemsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.items.list(caller, filter, page), sampleItemResponse);
    });
  }

  @operations.Get(SampleItemResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string): Promise<SampleItemResponse> {
    return sampleItemResponse(await this.items.get(caller, id));
  }

  @operations.Cancel(CanceledSampleItemResponse)
  async cancel(
    @Caller() caller: Principal,
    @operations.Id() id: string,
  ): Promise<CanceledSampleItemResponse> {
    return canceledResponse(await this.items.cancel(caller, id), 'The sample item was canceled.');
  }
}
