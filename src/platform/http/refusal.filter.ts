import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusalStatus } from '../../kernel/refusal';
import { isUnavailable } from '../database/failures';
import { Log } from '../telemetry/log';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly error: string; readonly message: string };
  readonly retryAfterSeconds?: number;
}

/** Writes every error of the service as `{error, message}` (interface section 7). */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = errorAnswer(error);
    if (answer.status >= 500) this.log.failure(answer.body.error, error, request.id);
    if (answer.retryAfterSeconds !== undefined) void reply.header('Retry-After', answer.retryAfterSeconds);
    void reply.code(answer.status).send(answer.body);
  }
}

/** The answer to anything that was thrown, the framework's own errors included. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Refusal) {
    const { code, message, retryAfterSeconds } = error;
    return { status: refusalStatus[code], body: { error: code, message }, retryAfterSeconds };
  }
  if (isUnavailable(error)) {
    const message = 'The database cannot answer at the moment. Repeat the request shortly.';
    return { status: 503, body: { error: 'unavailable', message }, retryAfterSeconds: 1 };
  }
  return frameworkAnswer(statusOf(error));
}

function frameworkAnswer(status: number): ErrorAnswer {
  switch (status) {
    case 404:
    case 405:
      return { status: 404, body: { error: 'not_found', message: 'There is no such operation. See /docs.' } };
    case 413:
      return { status, body: { error: 'invalid_request', message: 'The body is larger than 100 KB.' } };
    case 415:
      return {
        status: 400,
        body: { error: 'invalid_request', message: 'Send the body with Content-Type: application/json.' },
      };
    case 503:
      return {
        status,
        body: { error: 'unavailable', message: 'The service is stopping. Repeat the request shortly.' },
        retryAfterSeconds: 1,
      };
  }
  if (status >= 400 && status < 500) {
    return { status: 400, body: { error: 'invalid_request', message: 'The request is malformed.' } };
  }
  const message = 'Something went wrong here. It is logged under the X-Request-Id of this answer.';
  return { status: 500, body: { error: 'internal_error', message } };
}

/** Nest and Fastify say in their errors which status they mean; anything else is a defect. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}
