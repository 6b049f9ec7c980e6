/** Metadata as the client sent it; nothing when it is empty. */
export function Metadata({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  if (Object.keys(value).length === 0) return '–';
  return <pre>{JSON.stringify(value, null, 2)}</pre>;
}
