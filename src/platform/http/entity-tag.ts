import {
  CallHandler,
  createParamDecorator,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  applyDecorators,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { FastifyReply, FastifyRequest } from 'fastify';
import { Observable, tap } from 'rxjs';
import { DomainError, Precondition } from '../../kernel/domain-error';
import { operationDecorator, OperationDecorator, OperationOptions } from './operation';

const EXAMPLE = '"2026-11-20T09:30:00.000Z"';

/** `updated_at` moves with every change, so it names the version of a resource. */
const entityTagOf = (updatedAt: string): string => `"${updatedAt}"`;

/** Sends the version of the resource in the response as its `ETag` (RFC 9110, 8.8.3). */
@Injectable()
class EntityTag implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<{ readonly updated_at: string }>) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const send = tap((resource: { readonly updated_at: string }) => {
      void reply.header('ETag', entityTagOf(resource.updated_at));
    });
    return next.handle().pipe(send) as Observable<unknown>;
  }
}

/** An operation whose response is a resource with its version. */
export const VersionedOperation = <Response extends { readonly updated_at: string }>(
  options: OperationOptions<Response>,
): OperationDecorator<Response> => {
  const description = 'The version of the resource, for `If-Match`: its `updated_at` in quotes.';
  const ETag = { description, schema: { type: 'string', example: EXAMPLE } };
  return applyDecorators(
    UseInterceptors(EntityTag),
    operationDecorator({ ...options, responseHeaders: { ETag } }),
  );
};

/** Any version, or a list of entity tags. */
const IF_MATCH = '^(\\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$';
const ENTITY_TAG = /"[!#-~]*"/g;

const IfMatchHeader = createParamDecorator((_: unknown, context: ExecutionContext): Precondition => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined) return () => {};
  if (!new RegExp(IF_MATCH).test(header))
    throw new DomainError('invalid_request', 'If-Match must have entity tags, as ETag has them, or be *.');
  // A proxy that compresses responses makes their tags weak; the version is the same.
  const tags: readonly string[] = header.match(ENTITY_TAG) ?? [];
  return ({ updatedAt }) => {
    const current = updatedAt.toISOString();
    if (header !== '*' && !tags.includes(entityTagOf(current)))
      throw new DomainError(
        'precondition_failed',
        `This has changed since you read it, at ${current}. Read it again.`,
      );
  };
});

/** The `If-Match` of the request (RFC 9110, 13.1.1), the version that the caller wants to change, as a Precondition. */
export const IfMatch = (): ParameterDecorator => (controller, method, index) => {
  IfMatchHeader()(controller, method, index);
  const header = ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The `ETag` of the version that you have read. If the resource has changed since, the response is 412 (`precondition_failed`) and nothing changes.',
    schema: { type: 'string', pattern: IF_MATCH, example: EXAMPLE },
  }) as MethodDecorator;
  header(controller, method!, Object.getOwnPropertyDescriptor(controller, method!)!);
};
