import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { checkBetweenParts } from './streamed-file';

/** A fast client takes a part within milliseconds. Checks before each would take a seventh of the time of an export. */
const INTERVAL_MS = 100;

/**
 * Checks between the parts of a file whether the caller still has access, and cuts the response off if not: a slow client
 * can take a file for hours, and a revocation must not wait for it.
 * @param assertAccess rejects when the caller of the request has lost access
 */
export function recheckAccess(
  server: FastifyInstance,
  assertAccess: (request: FastifyRequest) => Promise<void>,
): void {
  server.addHook('onSend', (request, _reply, payload, done) => {
    if (payload instanceof Readable)
      checkBetweenParts(
        payload,
        atIntervals(() => assertAccess(request)),
      );
    done();
  });
}

/** Returns a function that runs `check`, unless it has done so, or was made, within the interval. */
function atIntervals(check: () => Promise<void>): () => Promise<void> {
  let checkedAt = performance.now();
  return async () => {
    const now = performance.now();
    if (now - checkedAt < INTERVAL_MS) return;
    checkedAt = now;
    await check();
  };
}
