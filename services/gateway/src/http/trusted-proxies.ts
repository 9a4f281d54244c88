import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks that have a name, as Fastify knows them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');
const bitsOf = (address: string): number => (isIPv4(address) ? 32 : 128);

/** Whether this names a network: an address, one with a prefix, or `loopback`, `linklocal`, `uniquelocal`. */
export const isNetwork = (given: string): boolean => {
  if (Object.hasOwn(NAMED, given)) return true;
  const [address = '', prefix, ...more] = given.split('/');
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(address));
  return isIP(address) !== 0 && isPrefix && more.length === 0;
};

export type IsProxy = (address: string | undefined) => boolean;

/** Knows the proxies in front, whose word on where a request comes from is taken; `undefined` where there are none. */
export const proxiesOf = (networks: readonly string[] | undefined): IsProxy | undefined => {
  if (networks === undefined) return undefined;
  const list = new BlockList();
  for (const network of networks.flatMap((one) => NAMED[one] ?? [one])) {
    const [address = '', prefix = String(bitsOf(address))] = network.split('/');
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => address !== undefined && isIP(address) !== 0 && list.check(address, familyOf(address));
};

/** The eight groups of an IPv6 address. */
const groupsOf = (address: string): string[] => {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: between }, () => '0'), ...after];
};

/**
 * Whom an address is counted as: IPv4 by itself, also when it is written as IPv6, and IPv6 by its /64, all of which one
 * customer has. A connection that is gone has no address any more: all of these are one.
 */
export const addressGroupOf = (address: string | undefined): string => {
  if (address === undefined) return 'gone';
  if (!address.includes(':')) return address;
  const bare = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = groupsOf(bare).slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
};
