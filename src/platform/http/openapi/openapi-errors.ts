import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorCode, errorStatus, type InterfaceErrorCode } from '../../../kernel/domain-error';
import { versionSchema } from '../response-fields';
import { BODY_TOO_LARGE } from '../server/json-body';

type Components = NonNullable<OpenAPIObject['components']>;
type Response = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>;

interface DocumentedError {
  readonly name: string;
  readonly status: number;
  readonly description: string;
}

/** A response and its name among the components of the document. */
interface NamedResponse {
  readonly status: number;
  readonly name: string;
  readonly response: Response;
}

/** The schemas of the bodies of errors. @param codes all codes of the service */
export const errorSchemas = (codes: ReadonlySet<string>): Components['schemas'] => ({
  ErrorCode: {
    type: 'string',
    enum: [...codes].toSorted(),
    description: 'What went wrong, for programs. Further codes may be added.',
    example: 'invalid_request',
  },
  Error: {
    type: 'object',
    description: 'The body of every response that is not a success.',
    required: ['error', 'message'],
    properties: {
      error: { $ref: '#/components/schemas/ErrorCode' },
      message: {
        type: 'string',
        description: 'What went wrong and what to do next, for people. Its wording may change.',
        example: 'A field is missing, malformed or has an invalid value.',
      },
    },
  },
});

/** The error codes that every API has, whatever its operations say. */
export const interfaceErrorCodes = Object.keys(errorStatus) as InterfaceErrorCode[];

/**
 * Returns the error responses of an operation, one for each status. Equal responses have equal names.
 * @param takesBody whether the service reads the body of the request, if there is one
 */
export function errorResponses(codes: readonly ErrorCode[], takesBody: boolean): NamedResponse[] {
  const errors = codes.map(documentedError).toSorted((a, b) => a.name.localeCompare(b.name));
  const statuses = [...new Set(errors.map(({ status }) => status))];
  const responses = statuses.map((status) =>
    errorResponse(
      status,
      errors.filter((error) => error.status === status),
    ),
  );
  return takesBody ? [...responses, tooLarge] : responses;
}

export function schemaName(code: ErrorCode): string {
  return typeof code === 'string' ? code : code.name;
}

function documentedError(code: ErrorCode): DocumentedError {
  if (typeof code !== 'string') return code;
  return { name: code, status: errorStatus[code], description: descriptions[code] };
}

function errorResponse(
  status: number,
  errors: readonly DocumentedError[],
  name = errors.map((error) => pascalCase(error.name)).join('Or'),
): NamedResponse {
  return {
    status,
    name,
    response: {
      description: errors.map((error) => `\`${error.name}\`: ${error.description}`).join(' '),
      headers: {
        ...(status === 503 && { 'Retry-After': header('RetryAfter') }),
        ...(status === 429 && {
          'Retry-After': header('RetryAfter'),
          'RateLimit-Policy': header('RateLimitPolicy'),
          RateLimit: header('RateLimit'),
        }),
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(
            errors.map(({ name: error, description }) => [error, { value: { error, message: description } }]),
          ),
        },
      },
    },
  };
}

const tooLarge = errorResponse(
  413,
  [{ name: 'invalid_request', status: 413, description: BODY_TOO_LARGE }],
  'BodyTooLarge',
);

export function header(name: keyof typeof responseHeaders): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

/** The headers of responses, by their names among the components of the document. */
export const responseHeaders = {
  Version: {
    description: 'The version of the API in which the response is.',
    schema: versionSchema,
  },
  RequestId: {
    description:
      'Names the request in the log. The service takes the `X-Request-Id` of the request if it has 1 to 64 letters, digits, `-` and `_`.',
    schema: { type: 'string', pattern: '^[\\w-]{1,64}$', example: '0b8f0a51-6f43-4a1e-9d0c-6c0d3a4f0d11' },
  },
  RetryAfter: {
    description: 'Seconds after which a retry may succeed, if known.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  },
  /** Other responses have it too, where a limit applies (draft-ietf-httpapi-ratelimit-headers-11). */
  RateLimitPolicy: {
    description: 'The limits that apply: `q` requests in `w` seconds.',
    schema: { type: 'string', example: '"token";q=1000;w=1, "network-tokens";q=10000;w=1' },
  },
  RateLimit: {
    description: 'What is left of them: `r` requests, for `t` seconds.',
    schema: { type: 'string', example: '"token";r=0;t=1, "network-tokens";r=9312;t=1' },
  },
} as const satisfies Components['headers'];

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
  precondition_failed: 'The resource has changed since the version that If-Match names. Read it again.',
  rate_limited: 'Too many requests. Wait for the seconds in Retry-After.',
  internal_error: 'An internal error. It is logged under the X-Request-Id.',
  unavailable: 'The service is temporarily unavailable. Retry shortly.',
};

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
