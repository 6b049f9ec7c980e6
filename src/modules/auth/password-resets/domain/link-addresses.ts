import type { LinkPurpose } from './emailed-link';

/** Builds links: the address of the page for their purpose, followed by the token. */
export class LinkAddresses {
  /** @param addresses functions, because the port of the service may be known only after the start */
  constructor(private readonly addresses: Readonly<Record<LinkPurpose, () => string>>) {}

  to(purpose: LinkPurpose, token: string): string {
    return `${this.addresses[purpose]()}${token}`;
  }
}
