import type { StreamableFile, Type } from '@nestjs/common';
import { applyDecorators, HttpCode, Param, SetMetadata, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { ApiResponseOptions } from '@nestjs/swagger';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ErrorCode } from '../../kernel/domain-error';
import type { IdPrefix } from '../../kernel/ids';
import type { StoredResponse } from '../database/database';
import { RecordedExport } from './recorded-export';
import { idempotencyKeyRule } from './request-fields';
import { idSchema } from './response-fields';

/** Who may call: anyone; anyone, but an invalid token is rejected (sign-up); only callers with a valid token. */
export type Access = 'public' | 'optional' | 'required';
export const ACCESS = 'access';
export const DURING_ENROLMENT = 'duringEnrolment';
export const SCOPE = 'scope';
export const FOR_SUPPORT = 'forSupport';
export const MEDIA_TYPES = 'mediaTypes';

/** The error codes of an operation. The OpenAPI document shows them as responses (see `createOpenApi`). */
export const ERRORS = 'x-errors';

export interface OperationOptions<Response> {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** `required` by default. */
  readonly access?: Access;
  /** The scopes of which an API key needs one to call it. Without any, it rejects all API keys. */
  readonly scope?: string | readonly string[];
  /** The role `support` may call it too, although it changes something: the own sign-in or views, a note, an email. */
  readonly forSupport?: true;
  /** Admins who must set up a second factor first may call it too. */
  readonly duringEnrolment?: true;
  /** The class of the body of a successful response: 201 for a creation, otherwise 200. */
  readonly response: Type<Response> | { readonly type: Type<Response>; readonly description: string };
  /**
   * Media types in which the response is available besides JSON: `Accept` or the parameter `format` chooses one. The audit
   * log has what the back office takes away in them.
   */
  readonly alsoAs?: readonly string[];
  /** The operation's own error codes, besides those that every operation has. */
  readonly errors?: readonly ErrorCode[];
  /** Marks a creation, which accepts an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** The headers of a successful response, besides those that every response has. */
  readonly responseHeaders?: ApiResponseOptions['headers'];
  /** The request class of a body that may be absent. */
  readonly optionalBody?: Type;
}

/** What a method of an operation returns: the declared response, a stored one or, as another media type, a file. */
type Result<Response> = Response | StoredResponse | StreamableFile;

/** Decorates only methods that return the response which the operation declares, so that they need not name its type. */
export type OperationDecorator<Response> = <
  Method extends (...parameters: never[]) => Result<Response> | Promise<Result<Response>>,
>(
  controller: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** Declares one operation for the router and the OpenAPI document: its success, its callers and its error codes. */
export function Operation<Response>(options: OperationOptions<Response>): OperationDecorator<Response> {
  return operationDecorator(options);
}

/** The same for decorators that are made of it. */
export function operationDecorator(options: OperationOptions<unknown>): MethodDecorator {
  const { id, summary, access = 'required', response, errors = [] } = options;
  const scopes = [options.scope ?? []].flat();
  const scopeNote =
    scopes.length === 0
      ? undefined
      : `API keys need the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  const description =
    [options.description, scopeNote].filter((text) => text !== undefined).join(' ') || undefined;
  const success = typeof response === 'function' ? { type: response, description: 'Success.' } : response;
  const status = options.idempotent ? 201 : 200;
  const own: ErrorCode[] = access === 'public' ? [] : ['unauthorized', 'forbidden'];
  const codes = new Set<ErrorCode>([
    ...errors,
    ...own,
    'invalid_request',
    'rate_limited',
    'internal_error',
    'unavailable',
  ]);
  return applyDecorators(
    SetMetadata(ACCESS, access),
    RouteConfig({ operationId: id, access, response: success.type }),
    SetMetadata(DURING_ENROLMENT, options.duringEnrolment ?? false),
    SetMetadata(FOR_SUPPORT, options.forSupport ?? false),
    SetMetadata(SCOPE, scopes),
    SetMetadata(MEDIA_TYPES, options.alsoAs),
    ...(options.alsoAs ? [UseInterceptors(RecordedExport)] : []),
    HttpCode(status),
    ApiOperation({
      operationId: id,
      summary,
      description,
      ...(access === 'optional' && { security: [{}, { bearer: [] }] }),
      ...(access === 'public' && { security: [] }),
    }),
    ...successResponse(status, success, options),
    ApiExtension(ERRORS, [...codes]),
    ...(access === 'required' ? [ApiBearerAuth('bearer')] : []),
    ...scopes.map((scope) => ApiSecurity('apiKey', [scope])),
    ...(options.idempotent ? [idempotencyKeyHeader()] : []),
    ...(options.optionalBody ? [ApiBody({ required: false, type: options.optionalBody })] : []),
  );
}

function successResponse(
  status: number,
  { type, description }: { readonly type: Type; readonly description: string },
  options: OperationOptions<unknown>,
): MethodDecorator[] {
  const headers = responseHeaders(options);
  if (options.alsoAs === undefined) return [ApiResponse({ status, type, description, headers })];
  const others = options.alsoAs.map((mediaType) => [mediaType, { schema: { type: 'string' } }] as const);
  const json = { schema: { $ref: getSchemaPath(type) } };
  const content = { 'application/json': json, ...Object.fromEntries(others) };
  return [ApiExtraModels(type), ApiResponse({ status, description, headers, content })];
}

/** Whether a route is an operation that needs no token. */
export function needsNoToken({ config }: RouteOptions): boolean {
  const { access = 'required' } = (config ?? {}) as { access?: Access };
  return access !== 'required';
}

/** Returns the id of the operation that a request asks for; undefined where there is none. */
export function readOperation({ routeOptions }: FastifyRequest): string | undefined {
  return (routeOptions.config as { operationId?: string }).operationId;
}

/** Returns the class of the response of the operation that a request asks for; undefined where there is none. */
export function readResponse({ routeOptions }: FastifyRequest): Type | undefined {
  return (routeOptions.config as { response?: Type }).response;
}

/** Binds a parameter to an id in the operation's path. */
export const IdParam =
  (name: string, prefix: IdPrefix, description: string): ParameterDecorator =>
  (controller, method, index) => {
    const operation = Object.getOwnPropertyDescriptor(controller, method!)!;
    Param(name)(controller, method, index);
    ApiParam({ name, description, schema: idSchema(prefix) })(controller, method!, operation);
  };

function idempotencyKeyHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more.',
    schema: idempotencyKeyRule.schema,
  });
}

function responseHeaders({
  idempotent,
  ...options
}: OperationOptions<unknown>): ApiResponseOptions['headers'] {
  if (!idempotent) return options.responseHeaders;
  return {
    ...options.responseHeaders,
    'Idempotency-Replayed': {
      description: '`true` when the response is a replay of a stored one.',
      schema: { type: 'string', enum: ['true'] },
    },
  };
}
