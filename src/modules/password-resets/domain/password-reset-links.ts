/** Builds the links of reset emails: the address of the page that sets a new password, followed by the token. */
export class PasswordResetLinks {
  /** @param address a function, because the port of the service may be known only after the start */
  constructor(private readonly address: () => string) {}

  to(token: string): string {
    return `${this.address()}${token}`;
  }
}
