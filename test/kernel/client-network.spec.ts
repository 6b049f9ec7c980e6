import {
  clientNetwork,
  isAddressOrNetwork,
  isInNetworks,
  nestedNetworks,
  signUpNetwork,
} from '../../src/kernel/client-network';

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

describe('The network of a sign-up', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['unknown', null],
  ])('of %s is %s', (ip, network) => expect(signUpNetwork(ip)).toBe(network));
});

describe('Nested networks', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', ['203.0.113.0/24', '203.0.113.7']],
    ['one with more digits', '203.0.113.77', ['203.0.113.0/24', '203.0.113.77']],
    ['a mapped address', '::ffff:203.0.113.7', ['203.0.113.0/24', '203.0.113.7']],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64']],
    ['a text that is not an address', 'unknown', ['unknown']],
    ['a text that ends like a network', 'unknown/64', ['unknown/64']],
  ])('of %s', (_, ip, networks) => {
    expect(nestedNetworks(ip)).toEqual(networks);
  });
});

describe('An address or a network', () => {
  it.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/48'])('is %s', (text) => {
    expect(isAddressOrNetwork(text)).toBe(true);
  });

  it.each([
    ['a name', 'example.com'],
    ['an empty text', ''],
    ['a number', '3405803783'],
    ['an address with three parts', '203.0.113'],
    ['a prefix that is too long', '203.0.113.0/33'],
    ['a prefix that is missing', '203.0.113.0/'],
    ['two prefixes', '203.0.113.0/24/24'],
    ['an address with a zone', 'fe80::1%eth0'],
    ['a mapped address', '::ffff:203.0.113.7'],
  ])('is not %s', (_, text) => {
    expect(isAddressOrNetwork(text)).toBe(false);
  });

  it.each([
    ['the address itself', '203.0.113.7', ['203.0.113.7'], true],
    ['the address as IPv6', '::ffff:203.0.113.7', ['203.0.113.7'], true],
    ['another address', '203.0.113.8', ['203.0.113.7'], false],
    ['an address of the network', '203.0.113.8', ['198.51.100.1', '203.0.113.0/24'], true],
    ['an address as IPv6 of the network', '::ffff:203.0.113.8', ['203.0.113.0/24'], true],
    ['another spelling', '2001:db8:0::1', ['2001:DB8::1'], true],
    ['an IPv6 address of the network', '2001:db8:0:9::1', ['2001:db8::/48'], true],
    ['an IPv6 address of another network', '2001:db8:1::1', ['2001:db8::/48'], false],
    ['an address of the other kind', '203.0.113.7', ['::/0'], false],
    ['a text that is not an address', 'unknown', ['0.0.0.0/0', '::/0'], false],
    ['any address, without networks', '203.0.113.7', [], false],
  ])('contains %s', (_, ip, networks, expected) => {
    expect(isInNetworks(ip, networks)).toBe(expected);
  });
});
