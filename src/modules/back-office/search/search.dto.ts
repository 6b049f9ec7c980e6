import { Transform } from 'class-transformer';
import { StringField } from '../../../platform/http/request-fields';
import { exampleId, ResponseField } from '../../../platform/http/response-fields';
import { asResponse } from '../../../platform/versions/api-versions';
import { FoundResource, SearchResult } from './search.service';

export class SearchQuery {
  @Transform(({ value }): unknown => (typeof value === 'string' ? value.trim() : value))
  @StringField(1, 255, 'invoice-2041', {
    visible: true,
    description:
      'An id, an email address or a reference, or a part of a name, an email or a reference. White space around it is ignored.',
  })
  q: string;
}

export class FoundResourceResponse {
  @ResponseField({ example: 'transaction', description: 'The type of the resource.' }) type: string;
  @ResponseField({ example: exampleId('txn') }) id: string;

  @ResponseField({
    nullable: true,
    example: exampleId('acc'),
    description: 'The account that the resource belongs to; null where there is none.',
  })
  account_id: string | null;

  @ResponseField({
    type: 'object',
    additionalProperties: true,
    example: { id: exampleId('txn'), reference: 'invoice-2041' },
    description: 'The whole resource; a payment request is without its link.',
  })
  object: object;
}

export class SearchResponse {
  @ResponseField({ enum: ['list'] }) object: 'list';
  @ResponseField({ type: [FoundResourceResponse] }) data: FoundResourceResponse[];

  @ResponseField({
    type: 'boolean',
    example: false,
    description: 'Whether there are more of a type. The filters of its list return all of them.',
  })
  has_more: boolean;
}

export function searchResponse({ items, hasMore }: SearchResult): SearchResponse {
  return { object: 'list', data: items.map(foundResourceResponse), has_more: hasMore };
}

function foundResourceResponse({
  type,
  id,
  accountId,
  response,
  object,
}: FoundResource): FoundResourceResponse {
  return { type, id, account_id: accountId, object: response ? asResponse(response, object) : object };
}
