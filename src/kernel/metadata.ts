import { DomainError } from './domain-error';
import { countCharacters } from './text';

/** Custom data that a client attaches to a resource: a JSON object within the limits below. */
export type Metadata = Readonly<Record<string, unknown>>;

export const METADATA_LIMITS = { keys: 50, keyCharacters: 40, bytes: 8 * 1024, depth: 4 } as const;

/**
 * Merges a change into metadata. Each key of the change adds or replaces a value; a null value removes the key.
 * A change of null removes all keys.
 * @throws DomainError `invalid_request` when the result exceeds the limits
 */
export function mergeMetadata(current: Metadata, change: Metadata | null): Metadata {
  if (change === null) return {};
  const merged = Object.fromEntries(
    Object.entries({ ...current, ...change }).filter(([key]) => !(key in change) || change[key] !== null),
  );
  const fault = metadataFault(merged);
  if (fault !== null) throw new DomainError('invalid_request', `metadata ${fault}.`);
  return merged;
}

/** Describes why a value is not valid metadata, as a phrase that follows the field's name; null when it is valid. */
export function metadataFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const keys = Object.keys(value);
  if (keys.length > METADATA_LIMITS.keys) return `must have at most ${METADATA_LIMITS.keys} keys`;
  if (keys.some((key) => key === '' || countCharacters(key) > METADATA_LIMITS.keyCharacters)) {
    return `must have keys of 1 to ${METADATA_LIMITS.keyCharacters} characters`;
  }
  if (depth(value) > METADATA_LIMITS.depth)
    return `must be nested at most ${METADATA_LIMITS.depth} levels deep`;
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_LIMITS.bytes)
    return 'must be at most 8 KiB of JSON';
  return null;
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}
