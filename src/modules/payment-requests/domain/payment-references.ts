/** Builds payment URLs: the path of the payment page, followed by the secret of the request. */
export class PaymentLinks {
  /** @param urlOf returns the public URL of a path of the service */
  constructor(private readonly urlOf: (path: string) => string) {}

  to(secret: string): string {
    return this.urlOf(`/pay/${secret}`);
  }
}

/** The length of a payment reference without its hyphen. */
const CHARACTERS = 10;

/**
 * Returns the payment reference that a customer states on a bank transfer, for example `5N7P9-Q1S0W`: the end of the
 * request's id, of which 42 bits are random.
 */
export function transferReference(requestId: string): string {
  const end = requestId.slice(-CHARACTERS).toUpperCase();
  return `${end.slice(0, 5)}-${end.slice(5)}`;
}

/**
 * Returns the end of the request's id that a payment reference states. Spaces, hyphens and case are ignored.
 * @returns an empty text, with which no id ends, for any other text
 */
export function readIdSuffix(reference: string): string {
  const end = reference.replace(/[^0-9a-z]/gi, '').toLowerCase();
  return end.length === CHARACTERS ? end : '';
}
