import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Refusal } from '../../../kernel/refusal';
import { Once } from '../../../platform/database/idempotency';
import { emailKey } from '../domain/credential';
import { Principal } from '../domain/principal';
import { Device } from '../domain/session';

type Request = FastifyRequest & { user?: Principal };

/** The principal of the request; null on an open sign-up. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal | null => {
  return context.switchToHttp().getRequest<Request>().user ?? null;
});

/** Where the request comes from. */
export const CallingDevice = createParamDecorator((_: unknown, context: ExecutionContext): Device => {
  const request = context.switchToHttp().getRequest<Request>();
  return { ip: request.ip, userAgent: request.headers['user-agent'] ?? null };
});

/** What makes a creation repeatable, all but how its answer is rendered. */
export type Repeatable = Omit<Once<never>, 'render'>;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The request's `Idempotency-Key`, with whose key it is and what it was sent for. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): Repeatable => {
  const { user, headers, method, url, body } = context.switchToHttp().getRequest<Request>();
  const key = headers['idempotency-key'] ?? null;
  if (key !== null && (typeof key !== 'string' || !PRINTABLE.test(key))) {
    throw new Refusal('invalid_request', 'Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  return {
    principal: user?.subjectId ?? signUpPrincipal(body),
    key,
    request: `${method} ${url}\n${JSON.stringify(body)}`,
  };
});

/** Without a token there is no principal; the email that signs up stands for it. */
function signUpPrincipal(body: unknown): string {
  const { email } = (body ?? {}) as { email?: unknown };
  return `sign-up:${typeof email === 'string' ? emailKey(email) : ''}`;
}
