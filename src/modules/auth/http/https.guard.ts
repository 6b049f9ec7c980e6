import { CanActivate, ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { BlockList } from 'node:net';
import { Refusal } from '../../../kernel/refusal';
import { CONFIG, Config } from '../../../platform/config/config';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Refuses passwords and refresh tokens that come in the clear, where the service is told to (interface section 1). */
@Injectable()
export class HttpsGuard implements CanActivate {
  private readonly required: boolean;

  constructor(@Inject(CONFIG) { production, allowInsecureHttp }: Config) {
    this.required = production && !allowInsecureHttp;
  }

  canActivate(context: ExecutionContext): boolean {
    // `protocol` and `ip` follow the forwarding headers of trusted proxies, and of nobody else.
    const { protocol, ip } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!this.required || protocol === 'https' || isLoopback(ip)) return true;
    throw new Refusal(
      'invalid_request',
      'Log in over HTTPS. Behind a proxy that terminates TLS, set TRUSTED_PROXIES; ALLOW_INSECURE_HTTP=true lifts the rule.',
    );
  }
}

function isLoopback(ip: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return loopback.check(mapped?.[1] ?? ip, ip.includes(':') && !mapped ? 'ipv6' : 'ipv4');
}
