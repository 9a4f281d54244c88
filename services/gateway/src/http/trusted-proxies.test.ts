import { describe, expect, it } from 'vitest';
import { isNetwork, addressGroupOf, proxiesOf } from './trusted-proxies.ts';

describe('Trusted proxies', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', 'loopback', 'uniquelocal'])(
    'can be configured as %s',
    (one) => {
      expect(isNetwork(one)).toBe(true);
    },
  );
  it.each(['', 'true', '*', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.0/8/8', 'proxy.example', 'constructor'])(
    'cannot be configured as %o',
    (one) => {
      expect(isNetwork(one)).toBe(false);
    },
  );
  it('are recognized by address, also when it is written as IPv6', () => {
    const isProxy = proxiesOf(['10.0.0.0/8', 'fd00::/8', 'loopback', '192.0.2.7']);
    const known = ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '127.0.0.1', '::1', '192.0.2.7'];
    expect(known.filter((one) => isProxy?.(one) !== true)).toEqual([]);
    const others = ['11.0.0.1', '192.0.2.8', 'fe80::1', '::2', 'unknown', '', undefined];
    expect(others.filter((one) => isProxy?.(one) !== false)).toEqual([]);
    expect(proxiesOf(undefined)).toBeUndefined();
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:1::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, 'gone'],
])('counts the address %s as %s', (address, counted) => {
  expect(addressGroupOf(address)).toBe(counted);
});
