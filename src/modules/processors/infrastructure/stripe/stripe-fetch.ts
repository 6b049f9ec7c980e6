/** Far more than any response that this service reads: a page of 100 refunds. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Calls Stripe. The SDK aborts it at its timeout, which includes the body here: whatever Stripe sends, a call ends by
 * then, and so does its connection. Stripe redirects no call, so a redirect is an error.
 */
export async function fetchFromStripe(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) controller.error(new Error('The response is too large.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bounded), response);
}
