import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { MEDIA_TYPES } from './operation';
import { assertObject, unknownMember } from './request.pipe';

/**
 * Rejects every query parameter and every member of a body on operations that take none. Where a method has a `@Query()`
 * or `@Body()` parameter, RequestPipe rejects what its class does not declare.
 */
export class UndeclaredInputGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const [parameter] = Object.keys(query as object);
    if (parameter !== undefined && !takes(context, RouteParamtypes.QUERY))
      throw unknownMember('query', parameter);
    if (body === undefined || takes(context, RouteParamtypes.BODY)) return true;
    const [member] = Object.keys(assertObject(body));
    if (member !== undefined) throw unknownMember('body', member);
    return true;
  }
}

/** Nest keeps the parameters of a controller's method under keys of the form `{kind}:{index}`. */
function takes(context: ExecutionContext, kind: RouteParamtypes): boolean {
  const { name } = context.getHandler();
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${kind}:`));
}

/** The values of `format` by their media types. */
const formats: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'application/xml': 'camt053',
  'application/pdf': 'pdf',
};

/**
 * Lets the `Accept` of a request choose the format where the query names none. JSON is the response to a client that accepts
 * none of the formats, as it is of every error.
 */
@Injectable()
export class FormatGuard implements CanActivate {
  private readonly reflector = new Reflector();

  canActivate(context: ExecutionContext): boolean {
    const others = this.reflector.get<readonly string[] | undefined>(MEDIA_TYPES, context.getHandler()) ?? [];
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Querystring: { format?: string } }>>();
    if (others.length === 0 || request.query.format !== undefined) return true;
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const vary = reply.getHeader('Vary');
    void reply.header('Vary', vary === undefined ? 'Accept' : `${String(vary)}, Accept`);
    const [preferred] = new Negotiator(request.raw).mediaTypes(['application/json', ...others]);
    const format = formats[preferred ?? ''];
    // What reads the query afterwards, such as the record of exports, sees the format in it.
    if (format !== undefined) request.query.format = format;
    return true;
  }
}
