import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Device } from '../../../platform/audit/audit-trail';

/** The client that the request comes from. */
export const CallingDevice = createParamDecorator((_: unknown, context: ExecutionContext): Device => {
  return deviceOf(context.switchToHttp().getRequest<FastifyRequest>());
});

export function deviceOf({ id, ip, headers }: FastifyRequest): Device {
  return { ip, userAgent: headers['user-agent'] ?? null, requestId: id };
}
