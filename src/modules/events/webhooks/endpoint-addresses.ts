import ipaddr from 'ipaddr.js';
import { isInNetworks } from '../../../kernel/client-network';
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

/** The only range of IPv6 whose addresses are assigned for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** What a private network may use besides. Addresses of a link never belong to them: clouds serve credentials there. */
const privateRanges: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/**
 * Where clouds serve the metadata and credentials of their hosts, or reach into these, in ranges that are public or
 * private. The addresses of links, where most clouds do so, are in no range that is allowed.
 */
const cloudNetworks: readonly string[] = [
  '168.63.129.16', // Azure, WireServer
  '100.100.100.200', // Alibaba
  '161.26.0.0/16', // IBM, infrastructure
  '166.8.0.0/14', // IBM, services
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  'fd00:a9fe:a9fe::1', // Akamai
];

/**
 * Whether a webhook may be sent to an IP address. Addresses that stand for others are refused: IPv4 mapped to IPv6 and the
 * like, since what they stand for depends on the network.
 * @param allowPrivate whether loopback and private addresses are allowed, too
 */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(address) || isInNetworks(address, cloudNetworks)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (allowPrivate && privateRanges.includes(range)) return true;
  return range === 'unicast' && (parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST));
}
