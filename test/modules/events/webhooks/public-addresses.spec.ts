import { isAllowedAddress } from '../../../../src/modules/events/webhooks/endpoint-addresses';

const loopbackAndPrivate = [
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  'fc00::1',
  'fd12:3456:789a::1',
];

const neverAllowed = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  '4000::1',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '100.100.100.200',
  '161.26.0.7',
  '166.11.255.255',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'example.com',
  '',
];

describe('The address of a webhook endpoint', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:800::200e'])(
    '%s is allowed',
    (address) => expect(isAllowedAddress(address, false)).toBe(true),
  );

  it.each([...loopbackAndPrivate, ...neverAllowed])('%s is refused', (address) => {
    expect(isAllowedAddress(address, false)).toBe(false);
  });

  it.each(loopbackAndPrivate)('%s is allowed where private addresses are', (address) => {
    expect(isAllowedAddress(address, true)).toBe(true);
  });

  it.each(neverAllowed)('%s is refused also where private addresses are allowed', (address) => {
    expect(isAllowedAddress(address, true)).toBe(false);
  });
});
