import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

// The highest quality takes ten times as long, for the first reader of a page, and saves a tenth of the bytes.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const encoders = {
  br: (content: Buffer): Promise<Buffer> => promisify(brotliCompress)(content, brotli),
  gzip: promisify(gzip),
} as const;
type Encoding = keyof typeof encoders;

/** Content that is the same for everyone. Responses share its bytes. */
export interface StaticContent {
  /** The `Content-Type`. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** What was compressed for a client, and is kept for others. */
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

export function staticContent(type: string, content: string | Buffer): StaticContent {
  const bytes = Buffer.from(content);
  // The tag is weak, since it is that of all encodings.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { type, bytes, etag, compressed: new Map() };
}

/** Sends the content, compressed if the client accepts it, or 304 to a client that has it. */
export async function sendStatic(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag, compressed }: StaticContent,
  cacheControl = 'no-cache',
): Promise<FastifyReply> {
  void reply.headers({ 'Cache-Control': cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  const accepted = new Negotiator(raw).encodings(['br', 'gzip']);
  const encoding = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
  void reply.type(type);
  if (encoding === undefined) return reply.send(bytes);
  const encoded = compressed.get(encoding) ?? encoders[encoding](bytes);
  compressed.set(encoding, encoded);
  return reply.header('Content-Encoding', encoding).send(await encoded);
}
