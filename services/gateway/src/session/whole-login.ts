import { BlockList, isIP } from 'node:net';
import type { z } from 'zod';

/** What belongs together, where people log in. */
const PARTS = {
  OIDC_CLIENT_ID: 'the name of the console at the provider',
  OIDC_CLIENT_SECRET: 'the secret of the console at the provider',
  CONSOLE_URL: 'the origin that browsers open the console by',
} as const;

const own = new BlockList();
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addAddress('::1', 'ipv6');

const isOnThisMachine = ({ hostname }: URL): boolean => {
  const address = hostname.replaceAll(/[[\]]/g, '');
  const family = isIP(address);
  return hostname === 'localhost' || (family !== 0 && own.check(address, family === 6 ? 'ipv6' : 'ipv4'));
};

/** A login has all that it needs, and the provider is spoken to by TLS wherever somebody else may listen. */
export const wholeLogin = (config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const { OIDC_ISSUER: issuer, CONSOLE_URL: console } = config;
  const fault = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message });
  if (typeof issuer !== 'string') {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
      if (config[name] !== undefined)
        fault('OIDC_ISSUER', `must be set beside ${name}: the provider that people log in at`);
    return;
  }
  for (const [name, what] of Object.entries(PARTS))
    if (config[name] === undefined) fault(name, `must be set beside OIDC_ISSUER: ${what}`);
  const url = URL.parse(issuer);
  const isOpen = typeof console === 'string' && console.startsWith('http:');
  if (url?.protocol === 'http:' && !isOpen && !isOnThisMachine(url))
    fault('OIDC_ISSUER', 'must be an https address, unless it is on this machine or CONSOLE_URL is http, too');
};
