/** What the doctor knows to look for. */
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

/** Something that is wrong. Neither line ever holds a secret. */
export interface Finding {
  check: Check;
  /** The processes that it concerns. */
  about: readonly string[];
  /** What is wrong, in one line. */
  wrong: string;
  /** What to do about it, in one line. */
  mend: string;
}

/** The same thing found in several processes is one finding about all of them. */
export const merged = (findings: readonly Finding[]): Finding[] => {
  const groups = Map.groupBy(findings, ({ check, wrong, mend }) => JSON.stringify([check, wrong, mend]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return [{ ...first, about: [...new Set([first, ...others].flatMap(({ about }) => about))] }];
  });
};
