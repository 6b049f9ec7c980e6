import { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { FastifyReply } from 'fastify';
import { map, Observable } from 'rxjs';
import { Answer } from '../database/idempotency';

/** Sends an answer that may be repeated byte for byte, and says so when it is a repeat. */
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next
      .handle()
      .pipe(map((result: unknown) => (result instanceof Answer ? sent(result, reply) : result)));
  }
}

function sent({ body, replayed }: Answer, reply: FastifyReply): string {
  void reply.header('Content-Type', 'application/json; charset=utf-8');
  if (replayed) void reply.header('Idempotency-Replayed', 'true');
  return body;
}
