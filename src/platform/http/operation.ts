import { applyDecorators, HttpCode, SetMetadata, Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiResponseOptions,
} from '@nestjs/swagger';
import { RefusalCode, refusalStatus } from '../../kernel/refusal';

/** Who may call: anyone, anyone but a wrong token is refused (sign-up), or only with a token. */
export type Access = 'public' | 'optional' | 'required';
export const ACCESS = 'access';

interface OperationOptions {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly answers: { readonly status: 200 | 201; readonly type: Type; readonly description: string };
  /** The codes of its own; those that every operation shares are added here. */
  readonly refusals: readonly RefusalCode[];
  /** A creation takes an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** The request class of a body that may be left out. */
  readonly optionalBody?: Type;
}

/** Declares one operation of the interface: its success, who may call it, and every code it may answer. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { id, summary, description, access, answers } = options;
  const own = access === 'public' ? [] : (['unauthorized'] as const);
  const codes = new Set<RefusalCode>([
    ...options.refusals,
    ...own,
    'invalid_request',
    'rate_limited',
    'internal_error',
    'unavailable',
  ]);
  return applyDecorators(
    SetMetadata(ACCESS, access),
    HttpCode(answers.status),
    ApiOperation({
      operationId: id,
      summary,
      description,
      ...(access === 'optional' && { security: [{}, { bearer: [] }] }),
      ...(access === 'public' && { security: [] }),
    }),
    ApiResponse({
      status: answers.status,
      type: answers.type,
      description: answers.description,
      headers: answerHeaders(options),
    }),
    ...errorResponses(codes),
    ...(access === 'required' ? [ApiBearerAuth('bearer')] : []),
    ...(options.idempotent ? [idempotencyKeyHeader()] : []),
    ...(options.optionalBody ? [ApiBody({ required: false, type: options.optionalBody })] : []),
  );
}

function idempotencyKeyHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a repeat safe: for 7 days the same key answers what the first request answered, and creates nothing more.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });
}

function answerHeaders({ idempotent }: OperationOptions): ApiResponseOptions['headers'] {
  if (!idempotent) return undefined;
  return {
    'Idempotency-Replayed': {
      description: '`true` on a repeat.',
      schema: { type: 'string', enum: ['true'] },
    },
  };
}

function errorResponses(codes: ReadonlySet<RefusalCode>): MethodDecorator[] {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of codes)
    byStatus.set(refusalStatus[code], [...(byStatus.get(refusalStatus[code]) ?? []), code]);
  const shared = [...byStatus].map(([status, ofStatus]) => errorResponse(status, ofStatus));
  return [...shared, errorResponse(413, ['invalid_request'], 'The body is larger than 100 KB.')];
}

/** @param meaning what the codes mean here, where it is more special than what they mean elsewhere */
function errorResponse(status: number, codes: RefusalCode[], meaning?: string): MethodDecorator {
  const message = (code: RefusalCode): string => meaning ?? meanings[code];
  const examples = codes.map((code) => [code, { value: { error: code, message: message(code) } }] as const);
  return ApiResponse({
    status,
    description: codes.map((code) => `\`${code}\`: ${message(code)}`).join(' '),
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': retryAfter } }),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error', 'message'],
          properties: {
            error: { type: 'string', enum: codes, example: codes[0] },
            message: { type: 'string', example: message(codes[0]!) },
          },
        },
        examples: Object.fromEntries(examples),
      },
    },
  });
}

const retryAfter = {
  description: 'Seconds after which a repeat may succeed, where that is known.',
  schema: { type: 'integer', minimum: 1, example: 1 },
} as const;

/** What each code tells the reader of the documentation. */
const meanings: Record<RefusalCode, string> = {
  invalid_request: 'A field is missing, malformed or has an invalid value.',
  currency_mismatch: "The currency is not the account's base currency.",
  unauthorized: 'The token is missing, invalid or expired, or its permission is not enough.',
  invalid_credentials: 'The email or the password is wrong.',
  insufficient_funds: "The account's balance is too low.",
  forbidden: 'The token lacks the permission.',
  not_found: 'It does not exist, or not for this token.',
  account_not_found: 'The account does not exist, or not for this token.',
  invalid_session: 'The session does not exist or has ended already.',
  email_exists: 'The email is in use.',
  conflict: 'The request contradicts the present state.',
  not_cancellable: 'Its status no longer allows a cancel.',
  active_subscriptions: 'Active subscriptions must be canceled first.',
  rate_limited: 'Too many requests. Wait for the seconds in Retry-After.',
  internal_error: 'A defect of the service. It is logged under the X-Request-Id.',
  unavailable: 'The service cannot answer at the moment. Repeat the request shortly.',
};
