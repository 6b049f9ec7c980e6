import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { prepareErrorReply } from '../../../platform/http/error.filter';
import { Log } from '../../../platform/telemetry/log';
import { SingleSignOn } from '../../auth';
import { deviceOf } from '../../auth/http';
import { ConsoleSessions } from './console-sessions.service';
import { readCookie, refreshTokenIn, setRefreshToken } from './console.routes';
import { consoleSettings, ConsoleSettings } from './console.settings';

const PREFIX = '/console/session/oidc';
const FLOW_SECONDS = 600;

/** Longer ones are no pages of the console. A cookie may have 4 KB. */
const MAX_PATH_CHARACTERS = 1000;

/**
 * Sign-in through a provider, to which the browser goes by a link of the console, and from which it comes by one of the
 * provider's site.
 */
@Injectable()
export class SingleSignOnRoutes implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly singleSignOn: SingleSignOn,
    private readonly sessions: ConsoleSessions,
    private readonly log: Log,
    @Inject(consoleSettings.token) private readonly settings: ConsoleSettings,
  ) {}

  /** Does nothing without an HTTP server, as in commands. */
  onModuleInit(): void {
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    void server?.register(async (scope) => this.addRoutes(scope), { prefix: PREFIX });
  }

  private addRoutes(scope: FastifyInstance): void {
    // The page shows what the code means. A message could be one that the provider chose.
    scope.setErrorHandler((error, request, reply) => {
      const { body } = prepareErrorReply(error, request, reply, this.log);
      return reply.redirect(`/console/?sign_in=${body.error}`, 303);
    });
    const session = { config: { confidential: true } };
    scope.get('/', session, () => ({ providers: this.singleSignOn.providers }));
    scope.get('/:provider', session, (request, reply) => this.begin(request, reply));
    scope.get('/:provider/callback', session, (request, reply) => this.finish(request, reply));
  }

  private async begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    assertFromConsole(request);
    const { to } = request.query as { to?: unknown };
    const earlier = refreshTokenIn('console', request);
    if (earlier !== null) await this.sessions.end(earlier, deviceOf(request)); // its cookie will be replaced
    const { url, flow } = await this.sessions.begin(providerOf(request), parsePath(to));
    setFlow(request, reply, flow, FLOW_SECONDS);
    return reply.redirect(url, 303);
  }

  private async finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const flow = readCookie(request, flowCookie(request).name);
    const query = /\?.*/.exec(request.url)?.[0] ?? '';
    setFlow(request, reply, '', 0);
    const { tokens, returnTo } = await this.sessions.finish(
      providerOf(request),
      { query, flow },
      deviceOf(request),
    );
    setRefreshToken('console', request, reply, tokens.refreshToken, this.settings.idleSeconds);
    return reply.redirect(returnTo, 303);
  }
}

/**
 * Another site could replace the session of somebody who is signed in at the provider too.
 * @throws DomainError `forbidden`
 */
function assertFromConsole({ headers }: FastifyRequest): void {
  if (['same-origin', 'none', undefined].includes(headers['sec-fetch-site'])) return;
  throw new DomainError('forbidden', 'A sign-in begins in the console.');
}

function providerOf({ params }: FastifyRequest): string {
  return (params as { provider: string }).provider;
}

/** Returns the path of a page of the console; its first page for anything else, such as the address of another site. */
function parsePath(to: unknown): string {
  const base = 'https://console.invalid';
  if (typeof to !== 'string' || !URL.canParse(to, base)) return '/console/';
  const { origin, pathname, search } = new URL(to, base);
  const path = `${pathname}${search}`;
  const isPage = origin === base && path.startsWith('/console/') && path.length <= MAX_PATH_CHARACTERS;
  return isPage ? path : '/console/';
}

/** `Lax`, because the provider's site sends the browser back. */
function flowCookie({ protocol }: FastifyRequest): { name: string; attributes: string } {
  return protocol === 'https'
    ? {
        name: '__Host-countinghouse_sign_in',
        attributes: 'Path=/; HttpOnly; SameSite=Lax; Secure',
      }
    : { name: 'countinghouse_sign_in', attributes: `Path=${PREFIX}; HttpOnly; SameSite=Lax` };
}

/** @param seconds after which the browser forgets it; 0 deletes it */
function setFlow(request: FastifyRequest, reply: FastifyReply, flow: string, seconds: number): void {
  const { name, attributes } = flowCookie(request);
  void reply.header('Set-Cookie', `${name}=${flow}; ${attributes}; Max-Age=${seconds}`);
}
