/** The kinds of findings. */
export const CHECKS = [
  'variable',
  'user',
  'seal-keys',
  'signing-secret',
  'token-keys',
  'login-provider',
  'certificate',
  'postgres',
  'postgres-version',
  'postgres-tls',
  'database',
  'password',
  'role',
  'rights',
  'migrations',
  'connections',
  'sessions',
  'clock',
  'broker',
  'broker-version',
  'broker-tls',
  'login',
  'jetstream',
  'permissions',
  'streams',
  'payload',
  'port',
  'disk',
] as const;
export type Check = (typeof CHECKS)[number];

/** A fault. Neither text ever contains a secret. */
export interface Finding {
  check: Check;
  /** The processes that it concerns. */
  about: readonly string[];
  /** The fault, in one line. */
  wrong: string;
  /** The remedy, in one line. */
  mend: string;
}

/** Merges equal findings of several processes into one about all of them. */
export const mergeFindings = (findings: readonly Finding[]): Finding[] => {
  const groups = Map.groupBy(findings, ({ check, wrong, mend }) => JSON.stringify([check, wrong, mend]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return [{ ...first, about: [...new Set([first, ...others].flatMap(({ about }) => about))] }];
  });
};
