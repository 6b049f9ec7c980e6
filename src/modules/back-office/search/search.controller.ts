import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Operation } from '../../../platform/http/operation';
import { StringField } from '../../../platform/http/request-fields';
import { exampleId, ResponseField } from '../../../platform/http/response-fields';
import { asResponse } from '../../../platform/versions/api-versions';
import { Caller, Principal } from '../../auth/http';
import { FoundResource, Search, SearchResult } from './search.service';

class SearchQuery {
  @Transform(({ value }): unknown => (typeof value === 'string' ? value.trim() : value))
  @StringField(1, 255, 'invoice-2041', {
    visible: true,
    description:
      'An id, an email address or a reference, or a part of a name, an email or a reference. White space around it is ignored.',
  })
  q: string;
}

class FoundResourceResponse {
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

class SearchResponse {
  @ResponseField({ enum: ['list'] }) object: 'list';
  @ResponseField({ type: [FoundResourceResponse] }) data: FoundResourceResponse[];

  @ResponseField({
    type: 'boolean',
    example: false,
    description: 'Whether there are more of a type. The filters of its list return all of them.',
  })
  has_more: boolean;
}

function searchResponse({ items, hasMore }: SearchResult): SearchResponse {
  return { object: 'list', data: items.map(foundResourceResponse), has_more: hasMore };
}

function foundResourceResponse(found: FoundResource): FoundResourceResponse {
  const { type, id, accountId, response, object } = found;
  return { type, id, account_id: accountId, object: response ? asResponse(response, object) : object };
}

/** Whatever a text names, or is a part of. */
@ApiTags('Search')
@Controller('v1/search')
export class SearchController {
  constructor(private readonly search: Search) {}

  @Get()
  @Operation({
    id: 'search',
    summary: 'Search by id, name, email or reference',
    scope: 'transactions:read',
    description:
      'Finds the accounts, users, transactions, payment requests, subscriptions, unapplied payments, adjustments and transfers that have exactly this id, email (of the customer, too) or reference, and the API key, webhook endpoint, approval, event, note or audit log entry with this id. The back office and platform systems search all accounts, others what they can read. Upper and lower case are the same in ids and emails; a reference is also found in capital letters, in small letters and capitalized. After these come the accounts and users whose name or email contains the text, and the transactions, payment requests and subscriptions whose reference does, if it has three letters or digits in a row, without regard to accents, case and apostrophes. Of older references, the text has to contain the last word with a digit (2041 of INV-2041), or without one the last word, or begin it. At most ten of each type are returned, newest first. An API key finds only the types that its other scopes open.',
    response: { type: SearchResponse, description: 'What was found.' },
  })
  async find(@Caller() caller: Principal, @Query() { q }: SearchQuery) {
    return searchResponse(await this.search.find(caller, q));
  }
}
