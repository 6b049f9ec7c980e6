import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { prepareErrorReply } from '../../../platform/http/error.filter';
import { Access } from '../../../platform/http/operation';
import { unknownMember } from '../../../platform/http/request.pipe';
import { sendStatic } from '../../../platform/http/static-content';
import { Log } from '../../../platform/telemetry/log';
import { authSettings, AuthSettings, mustEnrol, Tokens } from '../../auth';
import { deviceOf } from '../../auth/http';
import { ConsoleFiles } from './console-files.view';
import { ConsoleSessions, Place } from './console-sessions.service';
import { consoleSettings, ConsoleSettings } from './console.settings';
import { MoneyMovers } from './test-mode';

const places: readonly Place[] = ['console', 'dashboard'];
const YEAR_SECONDS = 31_536_000;

/** Only the console's own files and the API, nothing inline, in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

interface Cookie {
  readonly name: string;
  readonly attributes: string;
}

/** The browser accepts a name that begins with `__Host-` from this host with HTTPS alone, and only with this path. */
const securely = (place: Place): Cookie => ({
  name: `__Host-countinghouse_${place}`,
  attributes: 'Path=/; HttpOnly; SameSite=Strict; Secure',
});

/** For development, since not every browser stores a secure cookie of `http://localhost`. */
const plainly = (place: Place): Cookie => ({
  name: `countinghouse_${place}`,
  attributes: `Path=/${place}/session; HttpOnly; SameSite=Strict`,
});

/**
 * The files of the application, at both of its places, and its sessions. The routes are no operations of the API, since
 * they serve only the application: the refresh token is in a cookie, and therefore requests that other sites could cause
 * are rejected.
 */
@Injectable()
export class ConsoleRoutes implements OnModuleInit {
  private readonly files = new ConsoleFiles();

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly sessions: ConsoleSessions,
    private readonly log: Log,
    private readonly movers: MoneyMovers,
    @Inject(consoleSettings.token) private readonly settings: ConsoleSettings,
    @Inject(authSettings.token) private readonly authSettings: AuthSettings,
  ) {}

  /** Does nothing without an HTTP server, as in commands. */
  onModuleInit(): void {
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    for (const place of places)
      void server?.register(async (scope) => this.addRoutes(scope, place), { prefix: `/${place}` });
  }

  private addRoutes(scope: FastifyInstance, place: Place): void {
    scope.addHook('onSend', async (_request, reply) => void reply.headers(HEADERS));
    scope.setErrorHandler((error, request, reply) =>
      reply.send(prepareErrorReply(error, request, reply, this.log).body),
    );
    const access: Access = 'public'; // none of them has a token
    const session = { config: { confidential: true, access }, preHandler: assertFromApplication };
    scope.post('/session', session, (request, reply) => this.signIn(place, request, reply));
    scope.post('/session/refresh', session, (request, reply) => this.refresh(place, request, reply));
    scope.delete('/session', session, (request, reply) => this.signOut(place, request, reply));
    // What an address means is up to the page, which says that it names nothing.
    const pages = { config: { acceptsAnyUrl: true } };
    scope.get('/', pages, (request, reply) => this.sendFile(request, reply));
    scope.get('/*', pages, (request, reply) => this.sendFile(request, reply));
  }

  private async signIn(place: Place, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { email, password, otp } = parseCredentials(request.body);
    const device = deviceOf(request);
    const tokens = await this.sessions.open(place, email, password, otp, device);
    const earlier = refreshTokenIn(place, request);
    if (earlier !== null) await this.sessions.end(earlier, device); // the cookie, which named it, is replaced
    return this.sendTokens(place, request, reply, tokens);
  }

  /** Responds with 204 where there is no cookie: to open the console before a sign-in is no failure. */
  private async refresh(place: Place, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const refreshToken = refreshTokenIn(place, request);
    if (refreshToken === null) return reply.code(204).send();
    const tokens = await this.sessions.refresh(place, refreshToken, deviceOf(request));
    return this.sendTokens(place, request, reply, tokens);
  }

  private async signOut(place: Place, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const refreshToken = refreshTokenIn(place, request);
    const url = refreshToken === null ? null : await this.sessions.signOut(refreshToken, deviceOf(request));
    setRefreshToken(place, request, reply, '', 0);
    return reply.send({ message: 'The session has ended.', ...(url !== null && { sign_out_url: url }) });
  }

  private sendTokens(
    place: Place,
    request: FastifyRequest,
    reply: FastifyReply,
    tokens: Tokens,
  ): FastifyReply {
    const { idleSeconds } = this.settings;
    const { id, email, name } = tokens.user;
    const { role, accountId, membershipRole } = tokens;
    setRefreshToken(place, request, reply, tokens.refreshToken, idleSeconds);
    return reply.send({
      access_token: tokens.accessToken,
      expires_in: tokens.expiresInSeconds,
      idle_seconds: idleSeconds,
      must_enrol: mustEnrol(tokens, this.authSettings),
      test_mode: this.movers.areInTestMode,
      user: { id, email, name, role, account_id: accountId, membership_role: membershipRole },
    });
  }

  /** Sends the page for every path that is not a file, because the page itself shows what the path names. */
  private async sendFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { '*': path = '' } = request.params as { '*'?: string };
    const file = this.files.find(path);
    if (file === null && path.startsWith('assets/'))
      throw new DomainError('not_found', 'The console has no such file. Reload the page.');
    const content = file ?? this.files.find('index.html');
    if (content === null)
      throw new DomainError('not_found', 'The console is not built. Run `npm run build`.');
    return path.startsWith('assets/')
      ? sendStatic(request, reply, content, `public, max-age=${YEAR_SECONDS}, immutable`)
      : sendStatic(request, reply, content);
  }
}

/** The cookie of the refresh token, which no script can read. */
function selectCookie(place: Place, { protocol }: FastifyRequest): Cookie {
  return protocol === 'https' ? securely(place) : plainly(place);
}

/** @returns null without the cookie */
export function refreshTokenIn(place: Place, request: FastifyRequest): string | null {
  return readCookie(request, selectCookie(place, request).name);
}

/** @returns null without the cookie */
export function readCookie({ headers }: FastifyRequest, name: string): string | null {
  const pairs = headers.cookie?.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || null;
}

/** @param seconds after which the browser forgets it; 0 deletes it */
export function setRefreshToken(
  place: Place,
  request: FastifyRequest,
  reply: FastifyReply,
  refreshToken: string,
  seconds: number,
): void {
  const { name, attributes } = selectCookie(place, request);
  void reply.header('Set-Cookie', `${name}=${refreshToken}; ${attributes}; Max-Age=${seconds}`);
}

/**
 * Rejects what a page of another site could send: it cannot set the header, and the browser names the site.
 * @throws DomainError `forbidden`
 */
async function assertFromApplication({ headers }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  const isOwnOrigin = headers.origin === undefined || originHost(headers.origin) === headers.host;
  if (headers['x-console'] === '1' && site === 'same-origin' && isOwnOrigin) return;
  throw new DomainError('forbidden', 'Only the console and the dashboard may call this address.');
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

/** @throws DomainError `invalid_request` */
function parseCredentials(body: unknown): { email: string; password: string; otp?: string } {
  const { email, password, otp, ...others } = (body ?? {}) as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownMember('body', unknown);
  if (typeof email === 'string' && typeof password === 'string') {
    if (otp === undefined) return { email, password };
    if (typeof otp === 'string') return { email, password, otp };
  }
  throw new DomainError('invalid_request', 'Send email, password and, with a second factor, otp.');
}
