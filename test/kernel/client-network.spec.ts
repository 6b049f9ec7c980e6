import { clientNetwork, nestedNetworks } from '../../src/kernel/client-network';

describe('Client network', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address mapped to IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['a mapped address in hexadecimal', '::FFFF:cb00:7107', '203.0.113.7'],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['another address of the same network', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['another spelling', '2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['the next network', '2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['a network of zeros', '2001:db8::1', '2001:db8::/64'],
    ['loopback', '::1', '::/64'],
    ['a link-local address with its zone', 'fe80::1%eth0', 'fe80::/64'],
    ['a text that is not an address', 'unknown', 'unknown'],
    ['an empty text', '', ''],
  ])('of %s', (_, ip, network) => {
    expect(clientNetwork(ip)).toBe(network);
  });
});

describe('Nested networks', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', ['203.0.113.0/24', '203.0.113.7']],
    ['a mapped address', '::ffff:203.0.113.7', ['203.0.113.0/24', '203.0.113.7']],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64']],
    ['a text that is not an address', 'unknown', ['unknown']],
    ['a text that ends like a network', 'unknown/64', ['unknown/64']],
  ])('of %s', (_, ip, networks) => {
    expect(nestedNetworks(ip)).toEqual(networks);
  });
});
