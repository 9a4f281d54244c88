import { z } from 'zod';
import { Claims, expiryOf, IDENTITY_CLAIMS } from '../auth/authenticate.ts';
import type { LoginSettings } from './login-config.ts';
import type { Tokens } from './provider.ts';

const LoginIdentity = z.object(IDENTITY_CLAIMS);
type LoginIdentity = z.output<typeof LoginIdentity>;

/** A logged-in person, with beginning and end of the session in epoch seconds. */
export const Session = Claims;
export type Session = Claims;

/** What of the provider's claims is not as it has to be. */
export type WrongClaim = 'no_access' | 'failed';

/** The identity in the configured claims, or the reason why they are refused. */
export const identityOf = (
  claims: Tokens['claims'],
  { org_claim, roles_claim }: Pick<LoginSettings, 'org_claim' | 'roles_claim'>,
): LoginIdentity | WrongClaim => {
  const given = { sub: claims?.['sub'], org_id: claims?.[org_claim], roles: claims?.[roles_claim] ?? [] };
  if (!IDENTITY_CLAIMS.org_id.safeParse(given.org_id).success) return 'no_access';
  const who = LoginIdentity.safeParse(given);
  if (!who.success) return 'failed';
  return who.data.roles.length === 0 ? 'no_access' : who.data;
};

/** So long a session lasts of which the provider says no end. */
const HOUR_S = 3_600;

/** The session of a login at `iat`, which ends with the provider's token. Epoch seconds; `iat` may have a fraction. */
export const sessionOf = ({ sub, org_id, roles }: LoginIdentity, iat: number, exp: number | undefined): Session => ({
  sub,
  org_id,
  roles,
  iat,
  exp: Math.floor(expiryOf({ iat, exp: exp ?? Date.now() / 1_000 + HOUR_S })),
});
