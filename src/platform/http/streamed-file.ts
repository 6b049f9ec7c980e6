import { StreamableFile } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { inScopeOfCaller } from '../telemetry/call-scope';

/** Emitted by the stream of a file when the client has taken what was sent. */
export const PROGRESS = 'progress';

const checks = new WeakMap<Readable, () => Promise<void>>();

/** Has `check` run before each further part of a file is made. If it rejects, no further part is, and the response is cut off. */
function checkBetweenParts(stream: Readable, check: () => Promise<void>): void {
  checks.set(stream, check);
}

interface FileOptions {
  /** The media type. */
  readonly type: string;
  /** As which a browser saves it; without a name, the response is shown instead. */
  readonly name?: string;
}

/**
 * Returns a response that is made part by part, each when the client has taken the one before. So a response of any length
 * takes the memory of a part, and nothing is made for a client that has gone. Parts belong to the call that begins it.
 */
export function streamedFile(
  parts: AsyncIterable<string | Uint8Array>,
  { type, name }: FileOptions,
): StreamableFile {
  async function* reported(): AsyncGenerator<string | Uint8Array, void, undefined> {
    for await (const part of parts) {
      yield part;
      stream.emit(PROGRESS);
      await checks.get(stream)?.();
    }
  }
  const asCaller = inScopeOfCaller();
  const steps = reported();
  const source: AsyncIterable<string | Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => asCaller(() => steps.next()),
      return: () => asCaller(() => steps.return()),
    }),
  };
  // In object mode, Nest would send another stream in its place, which does not report the progress.
  const stream = Readable.from(source, { objectMode: false, highWaterMark: 1 });
  return new StreamableFile(stream, {
    type,
    ...(name !== undefined && { disposition: `attachment; filename="${name}"` }),
  });
}

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
