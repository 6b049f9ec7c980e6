import { DomainError } from '../../../kernel/domain-error';

export const MAX_URL_CHARACTERS = 2_048;

/** Ports below it belong to services of other protocols, apart from those of HTTP. */
const FIRST_FREE_PORT = 1_024;

/**
 * Returns the URL of an endpoint in its normal form, in which for example a host in decimal notation is an address. The
 * address of the host is checked at each connection, since a name may get another one at any time.
 * @throws DomainError `invalid_request`
 */
export function endpointUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = allowHttp ? ['https:', 'http:'] : ['https:'];
  if (url === null || !schemes.includes(url.protocol))
    throw invalid(`an ${allowHttp ? 'http or ' : ''}https URL of at most ${MAX_URL_CHARACTERS} characters`);
  if (url.username !== '' || url.password !== '') throw invalid('without a user name and a password');
  if (url.hash !== '') throw invalid('without a fragment');
  const port = url.port === '' ? null : Number(url.port);
  if (port !== null && port < FIRST_FREE_PORT && ![80, 443].includes(port))
    throw invalid(`on port 80, 443 or one from ${FIRST_FREE_PORT}`);
  if (url.href.length > MAX_URL_CHARACTERS) throw invalid(`of at most ${MAX_URL_CHARACTERS} characters`);
  return url.href;
}

function invalid(expected: string): DomainError {
  return new DomainError('invalid_request', `url must be ${expected}.`);
}
