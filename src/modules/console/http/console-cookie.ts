import { FastifyReply, FastifyRequest } from 'fastify';

/** The refresh token, which no script can read and no other path gets. */
const NAME = 'countinghouse_console';
const PATH = '/console/session';

/** @returns null without the cookie */
export function refreshTokenIn({ headers }: FastifyRequest): string | null {
  const pairs = headers.cookie?.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) || null;
}

/** @param seconds after which the browser forgets it; 0 deletes it */
export function setRefreshToken(
  request: FastifyRequest,
  reply: FastifyReply,
  refreshToken: string,
  seconds: number,
): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  void reply.header(
    'Set-Cookie',
    `${NAME}=${refreshToken}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}
