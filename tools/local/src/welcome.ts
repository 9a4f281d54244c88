import { issueToken, type Keys } from './keys.ts';
import type { Settings } from './settings.ts';

/** The organization that demo tokens belong to: always the same, so its data is found again. */
export const DEMO_ORG = '01900000-0000-7000-8000-000000000001';

const TWELVE_HOURS = 12 * 3600;

const PEOPLE = [
  ['SUPERVISOR', 'demo-supervisor'],
  ['TEACHER', 'demo-teacher'],
  ['STUDENT', 'demo-student'],
] as const;

/** What the person who started the system wants to know now. */
export const welcome = ({ host, port, dataDir }: Settings, keys: Keys, seconds: string): string => {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const tokens = PEOPLE.map(([role, sub]) => {
    const token = issueToken(keys, { org: DEMO_ORG, sub, roles: [role], ttlSeconds: TWELVE_HOURS });
    return `  ${role.padEnd(10)}  ${token}`;
  });
  return [
    '',
    `Ready in ${seconds} s: ${address}`,
    '',
    `  Documentation   ${address}/docs`,
    `  Data            ${dataDir}`,
    '',
    `Demo tokens, valid for 12 hours (organization ${DEMO_ORG}):`,
    ...tokens,
    '',
    `Try it:  curl -H "Authorization: Bearer <token>" ${address}/api/v1/clazz/course-package/list/org`,
    'Ctrl-C stops everything; the data stays.',
  ].join('\n');
};
