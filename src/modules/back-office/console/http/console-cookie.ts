import type { FastifyReply, FastifyRequest } from 'fastify';

/** The attributes of the cookie of the refresh token, which no script can read. */
interface Cookie {
  readonly name: string;
  readonly attributes: string;
}

/** The browser accepts a name that begins with `__Host-` from this host with HTTPS alone, and only with this path. */
const HTTPS: Cookie = {
  name: '__Host-countinghouse_console',
  attributes: 'Path=/; HttpOnly; SameSite=Strict; Secure',
};

/** For development, since not every browser stores a secure cookie of `http://localhost`. */
const PLAIN_HTTP: Cookie = {
  name: 'countinghouse_console',
  attributes: 'Path=/console/session; HttpOnly; SameSite=Strict',
};

const cookieOf = ({ protocol }: FastifyRequest): Cookie => (protocol === 'https' ? HTTPS : PLAIN_HTTP);

/** @returns null without the cookie */
export function refreshTokenIn(request: FastifyRequest): string | null {
  const { name } = cookieOf(request);
  const pairs = request.headers.cookie?.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || null;
}

/** @param seconds after which the browser forgets it; 0 deletes it */
export function setRefreshToken(
  request: FastifyRequest,
  reply: FastifyReply,
  refreshToken: string,
  seconds: number,
): void {
  const { name, attributes } = cookieOf(request);
  void reply.header('Set-Cookie', `${name}=${refreshToken}; ${attributes}; Max-Age=${seconds}`);
}
