import { makeValidator } from 'envalid';
import { ConfigError, defineSettings, type SettingsOf } from '../config/settings';

/** Paths are appended to the address, so it must not have a query or a fragment. */
export const pageAddress = makeValidator<string>((input) => {
  const parsed = URL.canParse(input) ? new URL(input) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || /[?#]/.test(input)) {
    throw new Error('must be an address like https://pay.example.com, without ? and #');
  }
  return input;
});

export const pagesSettings = defineSettings({
  variables: {
    PAYMENT_PAGE_URL: pageAddress({
      default: '',
      desc: "The public address of the service's pages: the first part of every `payment_url`, and of the links in emails about passwords. By default `http://localhost` (or `https://localhost` with a certificate) and the port. Required in production.",
    }),
  },
  read: ({ PAYMENT_PAGE_URL }, { production }) => {
    if (production && PAYMENT_PAGE_URL === '') {
      throw new ConfigError(
        'PAYMENT_PAGE_URL: must be set in production, to the public address of the payment page, like https://pay.example.com',
      );
    }
    return {
      /** null for the service's own address. */
      address: PAYMENT_PAGE_URL.replace(/\/+$/, '') || null,
    };
  },
});

export type PagesSettings = SettingsOf<typeof pagesSettings>;

/** The public address of the service's pages. It never depends on the Host header, which a client chooses. */
export class PageAddress {
  /** @param address a function, because the port may be known only after the start */
  constructor(private readonly address: () => string) {}

  /** Returns the URL of a page. @param path begins with a slash */
  to(path: string): string {
    return `${this.address()}${path}`;
  }
}
