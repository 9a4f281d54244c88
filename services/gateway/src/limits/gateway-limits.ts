import type { GatewayConfig } from '../config.ts';
import { type Pool, RateLimit } from './rate-limit.ts';
import { type SharedDeps, type SharedLimits, shareLimits } from './shared.ts';

/** What is counted: requests of a user, of an org, for a secret in a path; failures of an address. */
type LimitName = 'user' | 'org' | 'link' | 'address';
export type GatewayLimits = Readonly<Record<LimitName, RateLimit>>;

/** An organization may do as much as so many users, unless its limit is configured. */
const USERS_OF_ORG = 10;

/** Nobody else counts, or is asked. */
const ALONE: Pool = {
  part: (quota) => quota,
  others: () => [],
  borrow: async () => ({ units: 0, rest: 0, again_ms: 0 }),
};

/** A limit that each gateway counts for itself. */
export const ownLimit = (name: string, quota: number, window_s: number): RateLimit =>
  new RateLimit({ name, quota, window_s }, ALONE, () => performance.now());

export const shareGatewayLimits = (config: GatewayConfig, deps: SharedDeps): SharedLimits<LimitName> => {
  const { RATE_LIMIT, FAILURE_LIMIT, RATE_LIMIT_WINDOW_SECONDS } = config;
  const org = config.ORG_RATE_LIMIT ?? USERS_OF_ORG * RATE_LIMIT;
  const quotas = { user: RATE_LIMIT, org, link: RATE_LIMIT, address: FAILURE_LIMIT };
  return shareLimits(quotas, RATE_LIMIT_WINDOW_SECONDS, deps);
};
