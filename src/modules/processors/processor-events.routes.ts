import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance } from 'fastify';
import { Clock } from '../../kernel/clock';
import { prepareErrorReply } from '../../platform/http/error.filter';
import { Log } from '../../platform/telemetry/log';
import { ProcessorEvents } from './processor-events.service';
import { PaymentProcessor } from './payment-processor';
import { WebhookApi } from './processor-events';

/** More than any event that this service processes. */
const MAX_EVENT_BYTES = 1024 * 1024;

/**
 * The webhook of the processor, `POST /v1/processors/{name}/events`. A signature of the body's bytes authenticates the
 * sender. Nest controllers receive only the parsed body, so the route is a scope of the HTTP server with a parser that
 * keeps the bytes.
 */
@Injectable()
export class ProcessorEventsRoutes implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly processor: PaymentProcessor,
    private readonly events: ProcessorEvents,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Commands such as `ledger:verify` have no HTTP server. */
  onModuleInit(): void {
    const { name, webhook } = this.processor;
    if (webhook === null) return;
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    void server?.register(async (scope) => this.serve(scope, webhook), { prefix: `/v1/processors/${name}` });
  }

  private serve(scope: FastifyInstance, webhook: WebhookApi): void {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: MAX_EVENT_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error, request, reply) =>
      reply.send(prepareErrorReply(error, request, reply, this.log).body),
    );
    scope.post('/events', async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const event = webhook.parse(body, request.headers, this.clock.now());
      if (event !== null) await this.events.process(event);
      return { received: true };
    });
  }
}
