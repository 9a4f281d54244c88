import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

// What is whose is said by contracts (`whose`) and found out by the kit (`session.reach`), never by a handler.

const ROOT = resolve(import.meta.dirname, '../../..');
const SERVICES = ['clazz', 'course', 'package', 'stats'];
const ID = String.raw`(?:\w+[.?]+)*(?:user_id|actor_id)\b`;

const BY_HAND: readonly [what: string, how: RegExp][] = [
  ['asks for a role', /\b(?:isStaff|isSupervisor)\b/],
  ['looks for a role', /\b(?:caller\.|actor_)roles\.(?:includes|some|every|find|indexOf)\b/],
  ['takes out the roles', /\{[^{}]*\broles\b[^{}]*\}\s*=\s*(?:session\.)?caller\b/],
  ['compares people', new RegExp(`[!=]==\\s*${ID}|${ID}\\s*[!=]==`)],
  [
    'looks for the caller',
    new RegExp(String.raw`\.(?:includes|has|indexOf)\((?:session\.)?(?:caller\.user_id|actor_id)\)`),
  ],
];

/** Rules that know roles all the same, for whose a thing is does not depend on it. */
const KNOW_ROLES: Readonly<Record<string, string>> = {
  'clazz/src/attendance/leave-request.rules.ts': 'supervisors take leave beyond deadline and quota; a path of the body',
  'clazz/src/attendance/leave.rules.ts':
    'supervisors say why somebody was away; what helps to decide is shown to deciders',
  'clazz/src/attendance/roll-call.rules.ts': 'supervisors withdraw marks',
  'clazz/src/cascade/edit-window.rules.ts': 'supervisors change what is long past',
  'clazz/src/clazz/clazz.rules.ts': 'supervisors name another lead teacher',
  'clazz/src/directory/member.rules.ts':
    'the note on somebody is shown to staff; nobody sets themselves inactive; relations are found for each role',
  'clazz/src/hours/prices.rules.ts': 'prices are shown to staff',
  'clazz/src/record/access.rules.ts': 'why a lesson was cancelled is shown to staff',
  'clazz/src/schedule/lesson.rules.ts': 'supervisors override clashes and cancel held lessons',
  'course/src/group/group.rules.ts': 'drafts in a group are shown to staff',
  'course/src/piyue/marking.rules.ts': 'which queue is asked for by who names none; claims',
  'course/src/lianxi/submission.rules.ts': 'a mark before it is released is shown to staff',
};

const findings = (source: string): string[] => BY_HAND.flatMap(([what, how]) => (how.test(source) ? [what] : []));
const sources = globSync(`services/{${SERVICES.join(',')}}/src/**/*.ts`, { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ name: file.replace('services/', ''), found: findings(readFileSync(resolve(ROOT, file), 'utf8')) }));

it('no handler compares people or their roles', () => {
  const wrong = sources.filter(({ name, found }) => found.length > 0 && !(name in KNOW_ROLES));
  expect(wrong).toEqual([]);
});

it('rules that know roles are named, and none that does not', () => {
  const knowing = sources.flatMap(({ name, found }) => (found.length > 0 && name.endsWith('.rules.ts') ? [name] : []));
  expect(knowing.toSorted()).toEqual(Object.keys(KNOW_ROLES).toSorted());
});

it.each([
  ["if (!isStaff(session.caller)) throw notFound('Class');", 'asks for a role'],
  ["import { isSupervisor } from '@teaching/kit';", 'asks for a role'],
  ["if (session.caller.roles.includes('TEACHER')) return;", 'looks for a role'],
  ["session.actor_roles.some((role) => role === 'STUDENT')", 'looks for a role'],
  ['const { user_id, roles } = session.caller;', 'takes out the roles'],
  ['if (found.teacher_id !== session.caller.user_id) return;', 'compares people'],
  ['const own = user_id === found.student_id;', 'compares people'],
  ['found.owner_id === session.actor_id', 'compares people'],
  ['it.assistant_ids.includes(caller.user_id)', 'looks for the caller'],
])('%s is found', (line, what) => {
  expect(findings(line)).toEqual([what]);
});

it.each([
  'const teacher_id = session.caller.user_id;',
  'roles: [...caller.roles],',
  '`select 1 from clazz where lead_teacher_id = $1 and user_id = $2`',
  'session.reach.require({ lead: it.lead_teacher_id }, MANAGERS);',
])('%s is not', (line) => {
  expect(findings(line)).toEqual([]);
});
