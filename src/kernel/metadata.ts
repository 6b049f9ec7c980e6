import { Refusal } from './refusal';
import { countCharacters } from './text';

/** What a client attaches to a resource: any JSON object within the limits below. */
export type Metadata = Readonly<Record<string, unknown>>;

export const METADATA_LIMITS = { keys: 50, keyCharacters: 40, bytes: 8 * 1024, depth: 4 } as const;

/**
 * Merges a change into metadata: its keys replace or add, a null removes its key, null for all of it empties it.
 * @throws Refusal `invalid_request` when the result is beyond the limits
 */
export function mergeMetadata(present: Metadata, change: Metadata | null): Metadata {
  if (change === null) return {};
  const merged = Object.fromEntries(
    Object.entries({ ...present, ...change }).filter(([key]) => !(key in change) || change[key] !== null),
  );
  const fault = metadataFault(merged);
  if (fault !== null) throw new Refusal('invalid_request', `metadata ${fault}.`);
  return merged;
}

/** What is wrong with metadata, in words that follow its name; null when nothing is. */
export function metadataFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const keys = Object.keys(value);
  if (keys.length > METADATA_LIMITS.keys) return `must have at most ${METADATA_LIMITS.keys} keys`;
  if (keys.some((key) => key === '' || countCharacters(key) > METADATA_LIMITS.keyCharacters)) {
    return `must have keys of 1 to ${METADATA_LIMITS.keyCharacters} characters`;
  }
  if (depth(value) > METADATA_LIMITS.depth) return `must be nested at most ${METADATA_LIMITS.depth} deep`;
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_LIMITS.bytes)
    return 'must be at most 8 KiB of JSON';
  return null;
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}
