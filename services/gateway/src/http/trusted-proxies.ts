import { BlockList, isIP, isIPv4 } from 'node:net';

/** Named networks, with the names that Fastify uses. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');
const bitsOf = (address: string): number => (isIPv4(address) ? 32 : 128);

/** True for a network: an address, an address with a prefix, or `loopback`, `linklocal`, `uniquelocal`. */
export const isNetwork = (given: string): boolean => {
  if (Object.hasOwn(NAMED, given)) return true;
  const [address = '', prefix, ...more] = given.split('/');
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(address));
  return isIP(address) !== 0 && isPrefix && more.length === 0;
};

export type IsProxy = (address: string | undefined) => boolean;

/** Recognizes the trusted proxies, which report the client's address; `undefined` when there are none. */
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
 * The group that an address is counted in: an IPv4 address itself, also when written as IPv6, and the /64 of an IPv6
 * address, because one customer has a whole /64. A closed connection has no address; all of these share one group.
 */
export const addressGroupOf = (address: string | undefined): string => {
  if (address === undefined) return 'gone';
  if (!address.includes(':')) return address;
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = groupsOf(plain).slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
};
