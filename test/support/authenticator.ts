import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;

/** Returns the code that an authenticator app shows (RFC 6238), computed without the service's library. */
export function codeAt(secret: string, time: Date): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time.getTime() / STEP_MS)));
  const hash = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

function decodeBase32(text: string): Buffer {
  const bits = [...text]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
}
