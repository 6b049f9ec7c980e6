import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import { FastifyRequest } from 'fastify';
import { Refusal } from '../../../kernel/refusal';
import { Access, ACCESS } from '../../../platform/http/operation';
import { JwtStrategy } from './jwt.strategy';

/** Lets a request through as its operation declares (see Operation), with the principal as `request.user`. */
@Injectable()
export class AuthGuard extends PassportGuard() {
  constructor(
    private readonly reflector: Reflector,
    strategy: JwtStrategy,
  ) {
    super({ defaultStrategy: strategy.name });
  }

  override canActivate(context: ExecutionContext) {
    // An operation that declares nothing is closed.
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler()) ?? 'required';
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (access === 'public' || (access === 'optional' && headers.authorization === undefined)) return true;
    return super.canActivate(context);
  }

  override handleRequest<P>(error: Error | null, principal: P | false | null): P {
    if (error) throw error;
    if (!principal) {
      throw new Refusal(
        'unauthorized',
        'The access token is missing, invalid or expired. Log in, or refresh it.',
      );
    }
    return principal;
  }
}
