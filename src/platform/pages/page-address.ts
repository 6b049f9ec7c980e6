/** The public address of the service's pages. It never depends on the Host header, which a client chooses. */
export class PageAddress {
  /** @param address a function, because the port may be known only after the start */
  constructor(private readonly address: () => string) {}

  /** Returns the URL of a page. @param path begins with a slash */
  to(path: string): string {
    return `${this.address()}${path}`;
  }
}
