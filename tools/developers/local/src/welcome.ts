import { issueToken, type Keys } from './keys.ts';
import { addressOf, type Settings } from './settings.ts';

/** The organization of the demo school and of demo tokens: always the same, so its data is found again. */
export const DEMO_ORG = '01900000-0000-7000-8000-000000000001';

const TWELVE_HOURS = 12 * 3600;

const PEOPLE = [
  ['SUPERVISOR', 'hui-sun'],
  ['TEACHER', 'carmen-vega'],
  ['STUDENT', 'sofia-garcia'],
  ['GUARDIAN', 'wei-lin'],
] as const;

/** Prints what a person needs after a start. */
export const welcome = (settings: Settings, keys: Keys, seconds: string): string => {
  const { dataDir, console: hasConsole, console_url } = settings;
  const address = addressOf(settings);
  const tokens = PEOPLE.map(([role, sub]) => {
    const token = issueToken(keys, { org: DEMO_ORG, sub, roles: [role], ttlSeconds: TWELVE_HOURS });
    return `  ${role.padEnd(10)}  ${token}`;
  });
  return [
    '',
    `Ready in ${seconds} s: ${address}`,
    '',
    ...(hasConsole ? [`  Open            ${console_url}`] : []),
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
