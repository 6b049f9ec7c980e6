/**
 * Fetches a response whose body has at most `maxBytes`: to read more of it fails, and ends the connection. The `signal` of
 * the request includes the body.
 */
export async function boundedFetch(
  maxBytes: number,
  ...[url, init]: Parameters<typeof fetch>
): Promise<Response> {
  const response = await fetch(url, init);
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new Error('The response is too large.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bounded), response);
}
