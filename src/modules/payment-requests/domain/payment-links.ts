/** Builds payment URLs: the path of the payment page, followed by the secret of the request. */
export class PaymentLinks {
  /** @param urlOf returns the public URL of a path of the service */
  constructor(private readonly urlOf: (path: string) => string) {}

  to(secret: string): string {
    return this.urlOf(`/pay/${secret}`);
  }
}
