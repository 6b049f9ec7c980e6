export interface SampleRequest {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** Whether the operation needs a token. */
  readonly authorized: boolean;
  /** Whether the operation takes an `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** An example of the body, if there is one. */
  readonly body: unknown;
}

/**
 * Returns a request as a command for a shell. Parameters of the path are variables, e.g. `$PAYMENT_ID`.
 * @param origin the address of the service
 */
export function renderCurl(
  origin: string,
  { method, path, authorized, idempotent, body }: SampleRequest,
): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const implied = body === undefined ? 'GET' : 'POST';
  return [
    `curl -s ${method === implied ? '' : `-X ${method} `}${origin}${address}`,
    ...(authorized ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
        ]),
  ].join(' \\\n  ');
}
