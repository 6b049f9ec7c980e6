import ipaddr from 'ipaddr.js';
import { isInNetworks } from '../../../kernel/client-network';

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
