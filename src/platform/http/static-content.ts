import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import Negotiator from 'negotiator';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content that is the same for everyone. Responses share its bytes. */
export interface StaticContent {
  /** The `Content-Type`. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function staticContent(type: string, content: string | Buffer): StaticContent {
  const bytes = Buffer.from(content);
  // The tag is weak, since it is that of all encodings.
  return { type, bytes, etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Sends the content, or 304 to a client that has it. */
export function sendStatic(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag }: StaticContent,
): FastifyReply {
  void reply.headers({ 'Cache-Control': 'no-cache', ETag: etag });
  return headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(bytes);
}

// The highest quality takes ten times as long, for the first reader of a page, and saves a tenth of the bytes.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const encoders = {
  br: (content: Buffer): Promise<Buffer> => promisify(brotliCompress)(content, brotli),
  gzip: promisify(gzip),
} as const;
type Encoding = keyof typeof encoders;

/**
 * Compresses the responses of the routes below these paths that are added afterwards. It is for content that is the same
 * for everyone: each is compressed once and kept in memory.
 */
export function compressBelow(server: FastifyInstance, paths: readonly string[]): void {
  const compressed = new Map<string, Promise<Buffer>>();

  async function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    if (reply.statusCode !== 200 || request.method !== 'GET') return payload;
    void reply.header('Vary', 'Accept-Encoding');
    const accepted = new Negotiator(request.raw).encodings(['br', 'gzip']);
    const encoding = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
    if (encoding === undefined) return payload;
    void reply.header('Content-Encoding', encoding).removeHeader('Content-Length');
    return compressOnce(encoding, await collectBytes(payload));
  }

  /** By content, because a path can be written in many ways. */
  function compressOnce(encoding: Encoding, content: Buffer): Promise<Buffer> {
    const key = `${encoding} ${createHash('sha256').update(content).digest('base64')}`;
    const known = compressed.get(key) ?? encoders[encoding](content);
    compressed.set(key, known);
    return known;
  }

  server.addHook('onRoute', (route: RouteOptions) => {
    if (paths.some((path) => route.url.startsWith(path))) {
      Object.assign(route, { onSend: [route.onSend ?? [], compress].flat() });
    }
  });
}

async function collectBytes(payload: unknown): Promise<Buffer> {
  return payload instanceof Readable ? buffer(payload) : Buffer.from(payload as string | Buffer);
}
