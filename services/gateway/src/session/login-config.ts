import { BlockList, isIP } from 'node:net';
import type { LiveValue } from '@teaching/kit';
import type { z } from 'zod';
import type { GatewayConfig } from '../config.ts';

/** Settings that a login requires besides the issuer, with their descriptions. */
const PARTS = {
  OIDC_CLIENT_ID: 'the client id of the console at the provider',
  OIDC_CLIENT_SECRET: 'the client secret of the console at the provider',
  CONSOLE_URL: 'the origin that browsers open the console at',
} as const;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const isOnThisMachine = ({ hostname }: URL): boolean => {
  const address = hostname.replaceAll(/[[\]]/g, '');
  const family = isIP(address);
  return hostname === 'localhost' || (family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4'));
};

/**
 * Requires every setting of a login, and TLS to the provider unless the provider is on this machine or the console is
 * served over http.
 */
export const requireCompleteLogin = (config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const { OIDC_ISSUER: issuer, CONSOLE_URL: console } = config;
  const fault = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message });
  if (typeof issuer !== 'string') {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
      if (config[name] !== undefined)
        fault('OIDC_ISSUER', `must be set together with ${name}: the URL of the OpenID provider where people log in`);
    return;
  }
  for (const [name, description] of Object.entries(PARTS))
    if (config[name] === undefined) fault(name, `must be set together with OIDC_ISSUER: ${description}`);
  const url = URL.parse(issuer);
  const isOpen = typeof console === 'string' && console.startsWith('http:');
  if (url?.protocol === 'http:' && !isOpen && !isOnThisMachine(url))
    fault(
      'OIDC_ISSUER',
      `must be an https address, because CONSOLE_URL is ${typeof console === 'string' ? console : 'not set'}. It may be http on this machine, or together with a CONSOLE_URL of http`,
    );
};

/** The settings of the login. */
export interface LoginSettings {
  issuer: URL;
  client_id: string;
  /** Several while a secret is exchanged. */
  client_secrets: LiveValue<readonly string[]>;
  /** The origin that browsers open: scheme, host and port. */
  origin: string;
  org_claim: string;
  roles_claim: string;
  scopes: string;
  /** Accepted difference between the clocks of provider and gateway, in seconds. */
  leeway_s: number;
  /** Secrets that encrypt cookies: the first encrypts, all of them decrypt. */
  cookie_secrets: LiveValue<readonly string[]>;
}

/** The settings of the login; `undefined` when no login is configured. */
export const loginSettings = (config: GatewayConfig): LoginSettings | undefined => {
  const { CONSOLE, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, CONSOLE_URL } = config;
  // The configuration contains all of them or none.
  if (!CONSOLE || !OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !CONSOLE_URL) return undefined;
  return {
    issuer: new URL(OIDC_ISSUER),
    client_id: OIDC_CLIENT_ID,
    client_secrets: OIDC_CLIENT_SECRET,
    origin: CONSOLE_URL,
    org_claim: config.OIDC_ORG_CLAIM,
    roles_claim: config.OIDC_ROLES_CLAIM,
    scopes: config.OIDC_SCOPES,
    leeway_s: config.JWT_LEEWAY_SECONDS,
    cookie_secrets: config.SIGNING_SECRET,
  };
};
