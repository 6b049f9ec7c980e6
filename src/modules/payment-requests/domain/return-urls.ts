import { DomainError } from '../../../kernel/domain-error';

/** Where the payment page leads its customer back to; null for a page that leads nowhere. */
export interface ReturnUrls {
  /** After the payment. */
  readonly returnUrl: string | null;
  /** Instead of the payment, or after it failed. */
  readonly cancelUrl: string | null;
}

/** For the OpenAPI document. */
export const returnUrlDescriptions = {
  returnUrl:
    'Where the payment page leads the customer after the payment. `{PAYMENT_REQUEST_ID}` stands for the id. Fetch the status before you trust it: anyone can open the address.',
  cancelUrl: 'Where the payment page leads a customer who does not pay, or cannot. As `return_url`.',
} as const;

const MAX_CHARACTERS = 2048;

/** Stands for the id of the payment request in the path, the query and the fragment of a URL. */
const ID_PLACEHOLDER = '{PAYMENT_REQUEST_ID}';

const PRINTABLE = /^[\x21-\x7e]+$/;

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A URL that a page may lead to: with HTTPS, or with HTTP to the customer's own machine, and without credentials. */
export const returnUrlRule = {
  expected: `a URL of at most ${MAX_CHARACTERS} printable ASCII characters with https, or with http on localhost in test mode`,
  isValid: isReturnUrl,
  schema: {
    type: 'string',
    maxLength: MAX_CHARACTERS,
    pattern: '^([hH][tT][tT][pP][sS]?):',
    example: `https://shop.example.com/orders/2041?payment=${ID_PLACEHOLDER}`,
  },
} as const;

function isReturnUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return false;
  // Other characters are ignored or encoded when a URL is parsed, so what is checked would not be what is stored.
  if (!PRINTABLE.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
  // The placeholder stands for an id, which is no part of a host.
  return isAllowed && username === '' && password === '' && !hostname.includes('{');
}

/** @throws DomainError `invalid_request` for a URL without HTTPS, which is for tests, outside of test mode */
export function assertReturnUrls(urls: ReturnUrls, testMode: boolean): void {
  if (testMode) return;
  for (const [name, url] of Object.entries({ return_url: urls.returnUrl, cancel_url: urls.cancelUrl })) {
    if (url?.slice(0, 5).toLowerCase() === 'http:')
      throw new DomainError('invalid_request', `${name} must be a URL with https.`);
  }
}

/** The URL for one payment request. Nothing in it can be trusted by who receives the customer. */
export function fillReturnUrl(url: string, requestId: string): string {
  return new URL(url.replaceAll(ID_PLACEHOLDER, requestId)).href;
}

/** Renders the URLs as members of a response, where they were given. */
export function returnUrlMembers({ returnUrl, cancelUrl }: ReturnUrls) {
  return {
    ...(returnUrl !== null && { return_url: returnUrl }),
    ...(cancelUrl !== null && { cancel_url: cancelUrl }),
  };
}
