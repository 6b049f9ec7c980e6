import ipaddr from 'ipaddr.js';
import { isIP, isIPv4 } from 'node:net';

/**
 * The network by which requests of one client are counted: an IPv4 address (also when it is mapped to IPv6), or the
 * /64 network of an IPv6 address, for example `2001:db8::/64`. A provider assigns at least that many addresses to one
 * customer, who changes them at will (RFC 6177). One network has one spelling.
 * @param ip a text that is not an address, as a trusted proxy may report it, is returned unchanged
 */
export function clientNetwork(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/** The lengths, in bits, of the IPv6 networks that providers and their customers have. */
const WIDER_IPV6_PREFIXES = [32, 48];

/**
 * The networks that a client is in, the largest first and its `clientNetwork` last. Who has an IPv6 network of 48 bits,
 * as many customers do, has 65,536 client networks; who rents servers often has many IPv4 addresses that differ in the
 * last 8 bits.
 */
export function nestedNetworks(ip: string): string[] {
  const network = clientNetwork(ip);
  if (isIPv4(network)) return [network.replace(/\d+$/, '0/24'), network];
  if (!ipaddr.IPv6.isValidCIDR(network)) return [network];
  const [address] = network.split('/');
  const wider = WIDER_IPV6_PREFIXES.map(
    (bits) => `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`,
  );
  return [...wider, network];
}

/**
 * The network by which the accounts of one client are counted, for as long as they exist: 24 bits of an IPv4 address, or
 * 48 bits of an IPv6 address. It is wider than `clientNetwork`, so that it stands for a site and not for a person.
 * @returns null for a text that is not an address
 */
export function signUpNetwork(ip: string): string | null {
  return nestedNetworks(ip).at(-2) ?? null;
}

/** Whether the text is an IPv4 or IPv6 address, or a network in CIDR notation. IPv4 addresses are not written as IPv6. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return false;
  return bits === undefined || ipaddr.isValidCIDR(text);
}

/** Whether a client's address is one of these addresses, or in one of these networks (see `isAddressOrNetwork`). */
export function isInNetworks(ip: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return networks.some((network) => {
    if (!network.includes('/')) return ipaddr.parse(network).toString() === address.toString();
    const range = ipaddr.parseCIDR(network);
    return range[0].kind() === address.kind() && address.match(range);
  });
}
