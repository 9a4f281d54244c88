import { z } from 'zod';
import { Claims, expiryOf, IDENTITY_CLAIMS } from '../auth/authenticate.ts';
import type { LoginSettings } from './login-config.ts';
import type { Tokens } from './provider.ts';

const LoginIdentity = z.object(IDENTITY_CLAIMS);
type LoginIdentity = z.output<typeof LoginIdentity>;

/** A logged-in person, with start and end of the session in epoch seconds. */
export const Session = Claims;
export type Session = Claims;

/** The reason why the provider's claims are refused: no access to this system, or malformed claims. */
export type ClaimProblem = 'no_access' | 'failed';

/** The identity in the configured claims, or the reason why they are refused. */
export const identityOf = (
  claims: Tokens['claims'],
  { org_claim, roles_claim }: Pick<LoginSettings, 'org_claim' | 'roles_claim'>,
): LoginIdentity | ClaimProblem => {
  const given = { sub: claims?.['sub'], org_id: claims?.[org_claim], roles: claims?.[roles_claim] ?? [] };
  if (!IDENTITY_CLAIMS.org_id.safeParse(given.org_id).success) return 'no_access';
  const identity = LoginIdentity.safeParse(given);
  if (!identity.success) return 'failed';
  return identity.data.roles.length === 0 ? 'no_access' : identity.data;
};

/** Length of a session when the provider gives no end. */
const HOUR_S = 3_600;

/** The session of a login at `iat`; it ends with the provider's token. Epoch seconds; `iat` may have a fraction. */
export const sessionOf = ({ sub, org_id, roles }: LoginIdentity, iat: number, exp: number | undefined): Session => ({
  sub,
  org_id,
  roles,
  iat,
  exp: Math.floor(expiryOf({ iat, exp: exp ?? Date.now() / 1_000 + HOUR_S })),
});
