import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { Search } from './search.service';
import { SearchQuery, searchResponse, SearchResponse } from './search.dto';

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
  async find(@Caller() caller: Principal, @Query() { q }: SearchQuery): Promise<SearchResponse> {
    return searchResponse(await this.search.find(caller, q));
  }
}
