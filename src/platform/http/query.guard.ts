import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { unknownMember } from './request.pipe';

/**
 * Rejects every query parameter on operations that take none. Where a method has a `@Query()` parameter, RequestPipe
 * rejects what its class does not declare.
 */
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const [name] = Object.keys(query as object);
    if (name !== undefined && !takesQuery(context.getClass(), context.getHandler().name)) {
      throw unknownMember('query', name);
    }
    return true;
  }
}

/** Nest keeps the parameters of a controller's method under keys of the form `{kind}:{index}`. */
function takesQuery(controller: Type, method: string): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
