import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Device } from '../../../platform/audit/audit-trail';

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
