import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

// Contracts declare access rules (`access`) and the kit evaluates them (`session.accessFilter`). A handler never does.

const ROOT = resolve(import.meta.dirname, '../../..');
const SERVICES = ['clazz', 'course', 'package', 'stats'];
const ID = String.raw`(?:\w+[.?]+)*(?:user_id|actor_id)\b`;

const MANUAL_CHECKS: readonly [label: string, pattern: RegExp][] = [
  ['calls a role predicate', /\b(?:isStaff|isSupervisor)\b/],
  ['searches the roles', /\b(?:caller\.|actor_)roles\.(?:includes|some|every|find|indexOf)\b/],
  ['destructures the roles', /\{[^{}]*\broles\b[^{}]*\}\s*=\s*(?:session\.)?caller\b/],
  ['compares people', new RegExp(`[!=]==\\s*${ID}|${ID}\\s*[!=]==`)],
  [
    'searches for the caller',
    new RegExp(String.raw`\.(?:includes|has|indexOf)\((?:session\.)?(?:caller\.user_id|actor_id)\)`),
  ],
];

/** Rules files that may know roles, because they do not decide access. The value says what they decide. */
const ROLE_AWARE_RULES: Readonly<Record<string, string>> = {
  'clazz/src/attendance/leave-request.rules.ts':
    'supervisors may exceed deadline and quota of leave; the problem names a path of the body',
  'clazz/src/attendance/leave.rules.ts':
    'supervisors see and give the reason of an absence; decision aids are shown to members who decide',
  'clazz/src/attendance/roll-call.rules.ts': 'supervisors may withdraw marks',
  'clazz/src/cascade/edit-window.rules.ts': 'supervisors may change records after the edit window',
  'clazz/src/clazz/clazz.rules.ts': 'supervisors may set another lead teacher',
  'clazz/src/directory/member.rules.ts':
    'the note on a member is shown to staff; no member deactivates themselves; relations depend on the role',
  'clazz/src/hours/prices.rules.ts': 'prices are shown to staff only',
  'clazz/src/record/access.rules.ts': 'the reason of a cancellation is shown to staff only',
  'clazz/src/schedule/lesson.rules.ts': 'supervisors may override clashes and cancel held lessons',
  'course/src/group/group.rules.ts': 'drafts in a group are shown to staff only',
  'course/src/piyue/marking.rules.ts': 'the default queue depends on the role; claims',
  'course/src/lianxi/submission.rules.ts': 'an unreleased mark is shown to staff only',
};

const findings = (source: string): string[] =>
  MANUAL_CHECKS.flatMap(([label, pattern]) => (pattern.test(source) ? [label] : []));
const sources = globSync(`services/{${SERVICES.join(',')}}/src/**/*.ts`, { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ name: file.replace('services/', ''), found: findings(readFileSync(resolve(ROOT, file), 'utf8')) }));

it('finds no handler that compares people or their roles', () => {
  const wrong = sources.filter(({ name, found }) => found.length > 0 && !(name in ROLE_AWARE_RULES));
  expect(wrong).toEqual([]);
});

it('lists exactly the rules files that know roles', () => {
  const roleAware = sources.flatMap(({ name, found }) =>
    found.length > 0 && name.endsWith('.rules.ts') ? [name] : [],
  );
  expect(roleAware.toSorted()).toEqual(Object.keys(ROLE_AWARE_RULES).toSorted());
});

it.each([
  ["if (!isStaff(session.caller)) throw notFound('Class');", 'calls a role predicate'],
  ["import { isSupervisor } from '@teaching/kit';", 'calls a role predicate'],
  ["if (session.caller.roles.includes('TEACHER')) return;", 'searches the roles'],
  ["session.actor_roles.some((role) => role === 'STUDENT')", 'searches the roles'],
  ['const { user_id, roles } = session.caller;', 'destructures the roles'],
  ['if (found.teacher_id !== session.caller.user_id) return;', 'compares people'],
  ['const own = user_id === found.student_id;', 'compares people'],
  ['found.owner_id === session.actor_id', 'compares people'],
  ['it.assistant_ids.includes(caller.user_id)', 'searches for the caller'],
])('finds the check in: %s', (line, label) => {
  expect(findings(line)).toEqual([label]);
});

it.each([
  'const teacher_id = session.caller.user_id;',
  'roles: [...caller.roles],',
  '`select 1 from clazz where lead_teacher_id = $1 and user_id = $2`',
  'session.reach.require({ lead: it.lead_teacher_id }, MANAGERS);',
])('accepts: %s', (line) => {
  expect(findings(line)).toEqual([]);
});
