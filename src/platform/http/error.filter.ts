import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../kernel/domain-error';
import { isUnavailable } from '../database/failures';
import { Log } from '../telemetry/log';
import { BODY_TOO_LARGE } from './server/json-body';

export interface ErrorResponse {
  readonly status: number;
  readonly body: { readonly error: string; readonly message: string };
  readonly retryAfterSeconds?: number;
}

/**
 * The response to a request whose connection was closed before its body had arrived. Nobody gets it; the log has its
 * status, which is the one of nginx.
 */
const incomplete = response(499, 'invalid_request', 'The connection was closed before the body had arrived.');

/** Sends every error of the API as `{error, message}` (interface section 7). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void | Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.send(prepareErrorReply(error, request, reply, this.log).body);
  }
}

/**
 * Logs a server error (status 5xx), and sets the status and headers of the reply. Routes outside Nest's
 * controllers use it in their error handlers.
 * @returns the response, whose body the caller sends in its own format
 */
export function prepareErrorReply(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): ErrorResponse {
  const isIncomplete = error !== null && error === request.raw.errored;
  const sent = isIncomplete ? incomplete : errorResponse(error);
  const { status, body, retryAfterSeconds } = sent;
  errorCodes.set(request, body.error);
  if (status >= 500) log.failure(body.error, error, request.id);
  if (retryAfterSeconds !== undefined) void reply.header('Retry-After', retryAfterSeconds);
  // Fastify closes the connection: a client that still sends the body would often lose the response.
  if (status === 413) void reply.removeHeader('Connection');
  void reply.code(status);
  return sent;
}

const errorCodes = new WeakMap<FastifyRequest, string>();

/** The error code of the response to a request; null for a success. */
export function readErrorCode(request: FastifyRequest): string | null {
  return errorCodes.get(request) ?? null;
}

/** Returns the response to any thrown value, including the framework's errors. */
export function errorResponse(error: unknown): ErrorResponse {
  if (error instanceof DomainError) {
    const { code, status, message, retryAfterSeconds } = error;
    return response(status, code, message, retryAfterSeconds);
  }
  if (isUnavailable(error))
    return response(503, 'unavailable', 'The database is not available. Retry shortly.', 1);
  return frameworkErrorResponse(chooseStatus(error));
}

function response(status: number, error: string, message: string, retryAfterSeconds?: number): ErrorResponse {
  return { status, body: { error, message }, retryAfterSeconds };
}

function frameworkErrorResponse(status: number): ErrorResponse {
  switch (status) {
    case 404:
    case 405:
      return response(404, 'not_found', 'There is no such operation. See /docs for all operations.');
    case 413:
      return response(413, 'invalid_request', BODY_TOO_LARGE);
    case 415:
      return response(400, 'invalid_request', 'Send the body with Content-Type: application/json.');
    case 503:
      return response(503, 'unavailable', 'The service is shutting down. Retry shortly.', 1);
  }
  if (status >= 400 && status < 500) return response(400, 'invalid_request', 'The request is malformed.');
  const message = 'An internal error occurred. It is logged under the X-Request-Id of this response.';
  return response(500, 'internal_error', message);
}

/** Nest and Fastify errors carry a status; any other error is a defect. */
function chooseStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}
