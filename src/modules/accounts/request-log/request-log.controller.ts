import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorListQuery,
  FormatParam,
  ListFormat,
  parseListRequest,
} from '../../../platform/http/list-query';
import { Operation } from '../../../platform/http/operation';
import {
  countSchema,
  cursorListResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Caller, Principal } from '../../auth/http';
import { LoggedRequest } from './logged-request';
import { RequestLog } from './request-log.service';

class ListRequestsQuery extends CursorListQuery('req', 'requests', {
  error: { maxCharacters: 64, example: 'insufficient_funds' },
}) {
  @FormatParam() format?: ListFormat;
}

class RequestResponse {
  @IdResponseField('req') id: string;
  @IdResponseField('acc') account_id: string;

  @ResponseField({
    example: '0b8f0a51-6f43-4a1e-9d0c-6c0d3a4f0d11',
    description: 'The `X-Request-Id` of the response.',
  })
  request_id: string;

  @ResponseField({
    example: exampleId('key'),
    description: 'The API key, the user or the account that sent it.',
  })
  caller_id: string;

  @ResponseField({ example: 'POST' }) method: string;

  @ResponseField({
    example: '/v1/transactions',
    description: 'Without the query. What is no id has the name of the parameter in its place.',
  })
  path: string;

  @ResponseField({ ...countSchema, minimum: 100, maximum: 599, example: 402 }) status: number;

  @ResponseField({
    nullable: true,
    example: 'insufficient_funds',
    description: 'The error code of the response; null for a success.',
  })
  error: string | null;

  @ResponseField({ ...countSchema, example: 12, description: 'Milliseconds.' }) duration_ms: number;

  @Timestamp('When the request ended.') created_at: string;
}

class RequestsResponse extends CursorListResponse(RequestResponse) {}

function requestResponse(request: Readonly<LoggedRequest>): RequestResponse {
  const { id, method, path, httpStatus: status, error } = request;
  return {
    id,
    account_id: request.accountId,
    request_id: request.requestId,
    caller_id: request.callerId,
    method,
    path,
    status,
    error,
    duration_ms: request.durationMs,
    created_at: request.createdAt.toISOString(),
  };
}

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
  list(@Caller() caller: Principal, @Query() query: ListRequestsQuery) {
    return listOrCsv(RequestsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.requests.list(caller, filter, page), requestResponse);
    });
  }
}
