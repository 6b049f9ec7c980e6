import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../../kernel/clock';
import { errorAnswer } from '../../../platform/http/refusal.filter';
import { Log } from '../../../platform/telemetry/log';
import { PaymentProvider } from '../../providers';
import { ProviderReports } from '../application/provider-reports.service';

/** Far above the events that matter here. */
const MAX_EVENT_BYTES = 1024 * 1024;

/**
 * Where the provider reports what became of payments and refunds. Its signature is the right to call, and is of the
 * body to the byte; so this is a scope of the HTTP server whose parser leaves the body as it is, and no operation of
 * the API that anybody else could call.
 */
@Injectable()
export class ProviderEventsController implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly reports: ProviderReports,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {}

  /** Commands of the shell have no HTTP server. */
  onModuleInit(): void {
    const { provider } = this;
    if (provider === null) return;
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    void server?.register(async (scope) => this.serve(scope, provider), { prefix: '/v1/processors/stripe' });
  }

  private serve(scope: FastifyInstance, provider: PaymentProvider): void {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: MAX_EVENT_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error, request, reply) => this.fail(error, request, reply));
    scope.post('/events', async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = request.headers['stripe-signature'];
      await this.reports.take(
        provider.readEvent(body, typeof signature === 'string' ? signature : undefined, this.clock.now()),
      );
      return { received: true };
    });
  }

  private fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, body, retryAfterSeconds } = errorAnswer(error);
    if (status >= 500) this.log.failure(body.error, error, request.id);
    if (retryAfterSeconds !== undefined) void reply.header('Retry-After', retryAfterSeconds);
    return reply.code(status).send(body);
  }
}
