import { applyDecorators, HttpCode, Param, SetMetadata, Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiResponseOptions,
} from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FastifyRequest } from 'fastify';
import { ApiScope } from '../../kernel/api-scopes';
import { ErrorCode, errorStatus, InterfaceErrorCode } from '../../kernel/domain-error';
import { IdPrefix } from '../../kernel/ids';
import { exampleId } from './response-fields';

/** Who may call: anyone; anyone, but an invalid token is rejected (sign-up); only callers with a valid token. */
export type Access = 'public' | 'optional' | 'required';
export const ACCESS = 'access';
export const DURING_ENROLMENT = 'duringEnrolment';
export const SCOPE = 'scope';

interface OperationOptions {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** `required` by default. */
  readonly access?: Access;
  /** The scope with which an API key may call it. Without one, it rejects all API keys. */
  readonly scope?: ApiScope;
  /** Admins who must set up a second factor first may call it too. */
  readonly duringEnrolment?: true;
  /** The class of the body of a successful response: 201 for a creation, otherwise 200. */
  readonly response: Type | { readonly type: Type; readonly description: string };
  /** The operation's own error codes, besides those that every operation has. */
  readonly errors?: readonly ErrorCode[];
  /** Marks a creation, which accepts an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** The request class of a body that may be absent. */
  readonly optionalBody?: Type;
}

/** Declares one operation for the router and the OpenAPI document: its success, its callers and its error codes. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { id, summary, description, access = 'required', response, errors = [] } = options;
  const success = typeof response === 'function' ? { type: response, description: 'Success.' } : response;
  const status = options.idempotent ? 201 : 200;
  const own: ErrorCode[] = access === 'public' ? [] : ['unauthorized'];
  if (access !== 'public' && !options.duringEnrolment) own.push('forbidden');
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
    RouteConfig({ operationId: id }),
    SetMetadata(DURING_ENROLMENT, options.duringEnrolment ?? false),
    SetMetadata(SCOPE, options.scope),
    HttpCode(status),
    ApiOperation({
      operationId: id,
      summary,
      description,
      ...(access === 'optional' && { security: [{}, { bearer: [] }] }),
      ...(access === 'public' && { security: [] }),
    }),
    ApiResponse({
      status,
      ...success,
      headers: responseHeaders(options),
    }),
    ...errorResponses(codes),
    ...(access === 'required' ? [ApiBearerAuth('bearer')] : []),
    ...(options.idempotent ? [idempotencyKeyHeader()] : []),
    ...(options.optionalBody ? [ApiBody({ required: false, type: options.optionalBody })] : []),
  );
}

/** Returns the id of the operation that a request asks for; undefined where there is none. */
export function operationOf({ routeOptions }: FastifyRequest): string | undefined {
  return (routeOptions.config as { operationId?: string }).operationId;
}

/** Binds a parameter to an id in the operation's path. */
export const IdParam =
  (name: string, prefix: IdPrefix, description: string): ParameterDecorator =>
  (controller, method, index) => {
    const operation = Object.getOwnPropertyDescriptor(controller, method!)!;
    Param(name)(controller, method, index);
    const schema = { type: 'string', example: exampleId(prefix) } as const;
    ApiParam({ name, description, schema })(controller, method!, operation);
  };

function idempotencyKeyHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes retries safe: for 7 days, the same key returns the response of the first request and creates nothing more.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });
}

function responseHeaders({ idempotent }: OperationOptions): ApiResponseOptions['headers'] {
  if (!idempotent) return undefined;
  return {
    'Idempotency-Replayed': {
      description: '`true` when the response is a replay of a stored one.',
      schema: { type: 'string', enum: ['true'] },
    },
  };
}

function errorResponses(codes: ReadonlySet<ErrorCode>): MethodDecorator[] {
  const errors = [...codes].map(documentedError);
  const statuses = new Set(errors.map(({ status }) => status));
  const shared = [...statuses].map((status) =>
    errorResponse(
      status,
      errors.filter((error) => error.status === status),
    ),
  );
  const tooLarge = { name: 'invalid_request', description: 'The body is larger than 100 KB.' };
  return [...shared, errorResponse(413, [tooLarge])];
}

interface DocumentedError {
  readonly name: string;
  readonly description: string;
}

function documentedError(code: ErrorCode): DocumentedError & { readonly status: number } {
  if (typeof code !== 'string') return code;
  return { name: code, status: errorStatus[code], description: descriptions[code] };
}

function errorResponse(status: number, errors: readonly DocumentedError[]): MethodDecorator {
  const [first] = errors;
  return ApiResponse({
    status,
    description: errors.map(({ name, description }) => `\`${name}\`: ${description}`).join(' '),
    ...(status === 503 && { headers: { 'Retry-After': retryAfter } }),
    ...(status === 429 && { headers: { 'Retry-After': retryAfter, ...rateLimitHeaders } }),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error', 'message'],
          properties: {
            error: { type: 'string', enum: errors.map(({ name }) => name), example: first!.name },
            message: { type: 'string', example: first!.description },
          },
        },
        examples: Object.fromEntries(
          errors.map(({ name, description }) => [name, { value: { error: name, message: description } }]),
        ),
      },
    },
  });
}

const retryAfter = {
  description: 'Seconds after which a retry may succeed, if known.',
  schema: { type: 'integer', minimum: 1, example: 1 },
} as const;

/** Other responses have these headers too, where a limit applies (draft-ietf-httpapi-ratelimit-headers-11). */
const rateLimitHeaders = {
  'RateLimit-Policy': {
    description: 'The limits that apply: `q` requests in `w` seconds.',
    schema: { type: 'string', example: '"token";q=1000;w=1, "network-tokens";q=10000;w=1' },
  },
  RateLimit: {
    description: 'What is left of them: `r` requests, for `t` seconds.',
    schema: { type: 'string', example: '"token";r=0;t=1, "network-tokens";r=9312;t=1' },
  },
} as const;

const descriptions: Record<InterfaceErrorCode, string> = {
  invalid_request: 'A field is missing, malformed or has an invalid value.',
  currency_mismatch: "The currency is not the account's base currency.",
  unauthorized: 'The token is missing, invalid or expired, or lacks the permission.',
  invalid_credentials: 'The email, the password or the code is wrong.',
  otp_required: 'The password is right, and the code of the second factor is missing.',
  insufficient_funds: "The account's balance is too low.",
  forbidden: 'The token lacks the permission.',
  not_found: 'The resource does not exist, or this token has no access to it.',
  account_not_found: 'The account does not exist, or this token has no access to it.',
  invalid_session: 'The session does not exist or has ended already.',
  email_exists: 'The email is in use.',
  conflict: 'The request conflicts with the current state of the resource.',
  not_cancellable: 'The status of the resource no longer allows it to be canceled.',
  active_subscriptions: 'Active subscriptions must be canceled first.',
  rate_limited: 'Too many requests. Wait for the seconds in Retry-After.',
  internal_error: 'An internal error. It is logged under the X-Request-Id.',
  unavailable: 'The service is temporarily unavailable. Retry shortly.',
};
