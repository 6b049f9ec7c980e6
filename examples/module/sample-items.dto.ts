import {
  AccountOwnedResponse,
  accountOwnedResponse,
  CanceledResponse,
  CreateAccountOwnedRequest,
  CursorListQuery,
  CursorListResponse,
  FormatParam,
  ListFormat,
  referenceFilter,
  ResponseField,
  Timestamp,
} from 'countinghouse';
import { SampleItem, sampleItemLifecycle } from './sample-item';

export class CreateSampleItemRequest extends CreateAccountOwnedRequest {}

export class ListSampleItemsQuery extends CursorListQuery('smpl', 'sample items', {
  status: sampleItemLifecycle.states,
  reference: referenceFilter,
}) {
  @FormatParam() format?: ListFormat;
}

export class SampleItemResponse extends AccountOwnedResponse('smpl', sampleItemLifecycle.states) {
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;
  @Timestamp() expires_at: string;
  @Timestamp() updated_at: string;
}

export class SampleItemsResponse extends CursorListResponse(SampleItemResponse) {}
export class CanceledSampleItemResponse extends CanceledResponse('smpl', 'sample item') {}

export function sampleItemResponse(item: Readonly<SampleItem>): SampleItemResponse {
  return {
    ...accountOwnedResponse(item),
    reference: item.reference,
    expires_at: item.expiresAt.toISOString(),
    updated_at: item.updatedAt.toISOString(),
  };
}
