import ipaddr from 'ipaddr.js';

/** The only range of IPv6 whose addresses are assigned for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** What a private network may use besides. Addresses of a link never belong to them: clouds serve credentials there. */
const privateRanges: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/**
 * Whether a webhook may be sent to an IP address. Addresses that stand for others are refused: IPv4 mapped to IPv6 and the
 * like, since what they stand for depends on the network.
 * @param allowPrivate whether loopback and private addresses are allowed, too
 */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (allowPrivate && privateRanges.includes(range)) return true;
  return range === 'unicast' && (parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST));
}
