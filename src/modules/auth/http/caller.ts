import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import type { Device } from '../../../platform/audit/audit-trail';
import type { IdempotentRequest } from '../../../platform/database/database';
import { idempotencyKeyRule, withoutSecrets } from '../../../platform/http/request-fields';
import type { VersionedRequest } from '../../../platform/http/requested-version';
import { readResponse } from '../../../platform/http/operation';
import { type Principal, seesAllAccounts } from '../domain/principal';

type Request = VersionedRequest & { user?: Principal };

/** The principal of the request; null without a token, where the operation allows that. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal | null => {
  return context.switchToHttp().getRequest<Request>().user ?? null;
});

/**
 * The request's `Idempotency-Key`, with the principal that it belongs to and the request that it was sent with. Secrets
 * are left out: otherwise a caller who repeats a sign-up's key would learn from it whether a password is right.
 */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): IdempotentRequest => {
    const request = context.switchToHttp().getRequest<Request>();
    const { user, headers, method, url, body, version } = request;
    const key = headers['idempotency-key'] ?? null;
    if (key !== null && !idempotencyKeyRule.isValid(key)) {
      throw new DomainError(
        'invalid_request',
        'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    }
    const dryRun = (body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
    return {
      principal: user?.subjectId ?? signUpPrincipal(body),
      accountId: user === undefined || seesAllAccounts(user) ? null : user.accountId,
      dryRun,
      key: dryRun ? null : key,
      request: key === null ? '' : `${method} ${url}\n${JSON.stringify(withoutSecrets(body))}`,
      version,
      response: readResponse(request),
    };
  },
);

/** A sign-up without a token has no principal. The email takes its place. */
function signUpPrincipal(body: unknown): string {
  const { email } = (body ?? {}) as { email?: unknown };
  return `sign-up:${typeof email === 'string' ? emailKey(email) : ''}`;
}

/** Clients may send any text, and sessions and the audit log store it. */
const MAX_USER_AGENT_CHARACTERS = 255;

/** The client that the request comes from. */
export const CallingDevice = createParamDecorator((_: unknown, context: ExecutionContext): Device => {
  return deviceOf(context.switchToHttp().getRequest<FastifyRequest>());
});

export function deviceOf({ id, ip, headers }: FastifyRequest): Device {
  const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS).toWellFormed() ?? null;
  return { ip, userAgent, requestId: id };
}
