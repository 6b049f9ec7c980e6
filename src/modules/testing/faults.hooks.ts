import { Injectable } from '@nestjs/common';
import { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../kernel/domain-error';
import { errorResponse } from '../../platform/http/error.filter';
import { PaymentProcessor } from '../processors';
import { FaultScripts, ScriptedFault } from './fault-scripts';
import { TEST_PATH } from './test-operations.controller';

/** Lets requests have the faults that a test has scripted. In live mode there are none. */
@Injectable()
export class FaultHooks {
  private readonly faultOf = new WeakMap<FastifyRequest, ScriptedFault>();
  private readonly closing = new AbortController();

  constructor(
    private readonly processor: PaymentProcessor,
    private readonly scripts: FaultScripts,
  ) {}

  /** Must be called before the routes are added. */
  addTo(server: FastifyInstance): void {
    if (!this.processor.testMode) return;
    server.addHook('onRoute', (route) => this.addOperation(route));
    server.addHook('onRequest', async (request, reply) => this.begin(request, reply));
    server.addHook('onSend', async (request, _reply, payload) => {
      await this.end(request);
      return payload;
    });
    server.addHook('preClose', async () => this.closing.abort());
  }

  /** The test operations have no faults, so that a test can always clear those of the others. */
  private addOperation({ method, url, config }: RouteOptions): void {
    const { operationId } = (config ?? {}) as { operationId?: string };
    if (operationId === undefined || url.startsWith(`/${TEST_PATH}/`)) return;
    this.scripts.addOperation(nameOperation(String(method), url), operationId);
  }

  private begin(request: FastifyRequest, reply: FastifyReply): unknown {
    const { url = '' } = request.routeOptions;
    const scripted = this.scripts.next(nameOperation(request.method, url));
    if (scripted === null) return undefined;
    const { fault, retryAfterSeconds } = scripted;
    if (fault === 'rate_limited' || fault === 'unavailable') {
      const error = new DomainError(
        fault,
        'A test has scripted this error. Retry shortly.',
        retryAfterSeconds!,
      );
      return this.respond(reply, error);
    }
    this.faultOf.set(request, scripted);
    return undefined;
  }

  /** A thrown error would be logged as one that nobody expects. The log has the line of the request. */
  private respond(reply: FastifyReply, error: DomainError): FastifyReply {
    const { status, body, retryAfterSeconds } = errorResponse(error);
    return reply.code(status).header('Retry-After', retryAfterSeconds).send(body);
  }

  private async end(request: FastifyRequest): Promise<void> {
    const { fault, delayMs } = this.faultOf.get(request) ?? {};
    if (fault === 'lost_response') request.raw.socket.destroy();
    if (fault !== 'slow_response') return;
    await pause(delayMs!, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

/** Method and path as in the OpenAPI document. */
function nameOperation(method: string, url: string): string {
  return `${method} ${url.replace(/:(\w+)/g, '{$1}')}`;
}
