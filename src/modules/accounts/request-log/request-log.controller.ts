import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { ListRequestsQuery, RequestsResponse, requestsResponse } from './request-log.dto';
import { RequestLog } from './request-log.service';

@ApiTags('Accounts')
@Controller('v1/requests')
export class RequestLogController {
  constructor(private readonly requests: RequestLog) {}

  @Get()
  @Operation({
    id: 'listRequests',
    scope: 'requests:read',
    summary: 'List requests to the API',
    description:
      "Those of the token's account of the last 7 days, newest first, or of all accounts for admins and platform systems, without queries and bodies. Of each account and second, at most 100 changes and errors are kept, and one successful read; while a replica has more than 200 requests in a second, one of each account.",
    response: { type: RequestsResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(
    @Caller() caller: Principal,
    @Query() query: ListRequestsQuery,
  ): Promise<RequestsResponse | StreamableFile> {
    return listOrCsv(RequestsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return requestsResponse(await this.requests.list(caller, filter, page));
    });
  }
}
