import { applyDecorators, HttpCode, SetMetadata, Type } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiResponse, ApiResponseOptions } from '@nestjs/swagger';
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
  );
}

function idempotencyKeyHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a repeat safe: for 7 days the same key answers what the first request answered, and creates nothing more.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
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
  byStatus.set(413, ['invalid_request']);
  return [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus.map((code) => `\`${code}\`: ${meanings[code]}`).join(' '),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['error', 'message'],
            properties: { error: { type: 'string', enum: ofStatus }, message: { type: 'string' } },
          },
          examples: Object.fromEntries(
            ofStatus.map((code) => [code, { value: { error: code, message: meanings[code] } }]),
          ),
        },
      },
    }),
  );
}

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
  not_cancellable: 'It is no longer pending.',
  active_subscriptions: 'Active subscriptions must be canceled first.',
  rate_limited: 'Too many requests. Wait for the seconds in Retry-After.',
  internal_error: 'A defect of the service. It is logged under the X-Request-Id.',
  unavailable: 'The service cannot answer at the moment. Repeat the request shortly.',
};
