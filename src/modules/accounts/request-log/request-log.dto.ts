import { CursorPage } from '../../../kernel/pages';
import { CursorListQuery, FormatParam, ListFormat } from '../../../platform/http/list-query';
import {
  countSchema,
  CursorListResponse,
  cursorListResponse,
  exampleId,
  IdResponseField,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { LoggedRequest } from './logged-request';

export class ListRequestsQuery extends CursorListQuery('req', 'requests', {
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

export class RequestsResponse extends CursorListResponse(RequestResponse) {}

export function requestsResponse(page: CursorPage<Readonly<LoggedRequest>>): RequestsResponse {
  return cursorListResponse(page, requestResponse);
}

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
