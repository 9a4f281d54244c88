import type { Live } from '@teaching/kit';
import type { GatewayConfig } from '../config.ts';

/** How people log in, where they do. */
export interface LoginSettings {
  issuer: URL;
  client_id: string;
  /** Several while one is exchanged. */
  client_secrets: Live<readonly string[]>;
  /** What browsers open: scheme, host and port. */
  origin: string;
  org_claim: string;
  roles_claim: string;
  scopes: string;
  /** What cookies are encrypted by; the first encrypts, all decrypt. */
  cookie_secrets: Live<readonly string[]>;
}

/** The settings of the login; `undefined` where nobody logs in. */
export const loginSettings = (config: GatewayConfig): LoginSettings | undefined => {
  const { CONSOLE, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, CONSOLE_URL } = config;
  // The configuration has all of them, or none.
  if (!CONSOLE || !OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !CONSOLE_URL) return undefined;
  return {
    issuer: new URL(OIDC_ISSUER),
    client_id: OIDC_CLIENT_ID,
    client_secrets: OIDC_CLIENT_SECRET,
    origin: CONSOLE_URL,
    org_claim: config.OIDC_ORG_CLAIM,
    roles_claim: config.OIDC_ROLES_CLAIM,
    scopes: config.OIDC_SCOPES,
    cookie_secrets: config.SIGNING_SECRET,
  };
};
