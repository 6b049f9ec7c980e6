import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';

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
