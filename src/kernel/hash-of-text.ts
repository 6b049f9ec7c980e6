const INITIAL = 0x9e3779b9;
const SALT = 3_923_095;
const BLOCK_BYTES = 12;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/**
 * PostgreSQL's `hashtext`, by which Citus assigns rows to shards. It never changes, since the bounds of the shards are
 * stored. To ask a server for it would cost each request a round trip.
 * @returns a signed 32-bit integer
 */
export function hashOfText(text: string): number {
  const bytes = Buffer.from(text);
  let [a, b, c] = Array<number>(3).fill((INITIAL + bytes.length + SALT) | 0) as [number, number, number];
  let at = 0;
  for (; bytes.length - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
    a = (a + bytes.readInt32LE(at)) | 0;
    b = (b + bytes.readInt32LE(at + 4)) | 0;
    c = (c + bytes.readInt32LE(at + 8)) | 0;
    a = ((a - c) ^ rotate(c, 4)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 6)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 8)) | 0;
    b = (b + a) | 0;
    a = ((a - c) ^ rotate(c, 16)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 19)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 4)) | 0;
    b = (b + a) | 0;
  }
  const rest = Buffer.alloc(BLOCK_BYTES);
  bytes.copy(rest, 0, at);
  // The lowest byte of the last word is left to the length, which is added above.
  rest.copyWithin(9, 8, 11);
  rest[8] = 0;
  a = (a + rest.readInt32LE(0)) | 0;
  b = (b + rest.readInt32LE(4)) | 0;
  c = (c + rest.readInt32LE(8)) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}
