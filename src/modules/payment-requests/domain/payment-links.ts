/** Where customers pay: the address of the page, and behind it the secret of the request. */
export class PaymentLinks {
  /** @param address where the service is reached from outside; asked for each link, since a port may be given late */
  constructor(private readonly address: () => string) {}

  to(secret: string): string {
    return `${this.address()}/pay/${secret}`;
  }
}
