import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { looksLikeId } from '../../../kernel/ids';
import { readErrorCode } from '../../../platform/http/error.filter';
import { readOperation } from '../../../platform/http/operation';
import { onRequestEnd } from '../../../platform/http/request-telemetry';
import { Principal, seesAllAccounts } from '../../auth';
import { RequestLog } from './request-log.service';

type Request = FastifyRequest<{ Params: Readonly<Record<string, string>> }> & { user?: Principal | null };

/** Records what an account's programs and people have asked of the API. */
@Injectable()
export class RequestLogHook implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly requests: RequestLog,
  ) {}

  /** There is no HTTP server in commands. */
  onModuleInit(): void {
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    if (server) onRequestEnd(server, (request, reply) => this.record(request as Request, reply));
  }

  /** Requests of people of the back office and of platform systems belong to no account. */
  private record(request: Request, reply: FastifyReply): void {
    const { user, method, routeOptions } = request;
    if (!user?.accountId || seesAllAccounts(user) || routeOptions.url === undefined) return;
    if (readOperation(request) === 'listRequests') return; // who follows the log would see little else
    const error = readErrorCode(request);
    this.requests.record(user.accountId, method === 'GET' && error === null, () => ({
      requestId: request.id,
      callerId: user.subjectId,
      method,
      path: fillPath(routeOptions.url!, request.params),
      httpStatus: reply.statusCode,
      error,
      durationMs: Math.round(reply.elapsedTime),
    }));
  }
}

function fillPath(pattern: string, params: Request['params']): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    return looksLikeId(value) ? value : `{${name}}`;
  });
}
