import { CHANGE_KINDS, hint, type Hint, type Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { canChangeRelations, visibleChange, type Viewer } from './change-visibility.rules.ts';

const OWN = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';

const viewer = (role: Role | Role[], parts: Partial<Viewer> = {}): Viewer => ({
  user_id: 'me',
  roles: [role].flat(),
  children: new Set(),
  clazz_ids: new Set(),
  students: new Set(),
  ...parts,
});
const student = viewer('STUDENT', { clazz_ids: new Set([OWN]) });
const guardian = viewer('GUARDIAN', { children: new Set(['kid']), clazz_ids: new Set([OWN]) });
const teacher = viewer('TEACHER', { students: new Set(['taught']) });
const kindsOf = (who: Viewer, parts: Partial<Hint>) =>
  CHANGE_KINDS.filter((kind) => visibleChange(who, hint(kind, parts)) !== undefined);

describe('A viewer receives', () => {
  it('every change as a supervisor', () => {
    expect(kindsOf(viewer('SUPERVISOR'), {})).toEqual(CHANGE_KINDS);
  });

  it('as a teacher all changes except accounts of other people and groups that are not offered', () => {
    const all = CHANGE_KINDS.filter((kind) => kind !== 'account' && kind !== 'group');
    expect(kindsOf(teacher, {})).toEqual(all);
    expect(kindsOf(teacher, { user_ids: ['taught'] })).toContain('account');
    expect(kindsOf(teacher, { user_ids: ['me'] })).toContain('group');
  });

  const OF_CLASS = ['lesson', 'clazz', 'practice', 'plan', 'submission'];
  const cases: [what: string, who: Viewer, parts: Partial<Hint>, kinds: string[]][] = [
    ['as a student no change of other people', student, { user_ids: ['you'], clazz_id: OTHER }, []],
    ['as a student changes of their class', student, { clazz_id: OWN }, OF_CLASS],
    ['as a student changes of offered records', student, { offered: true }, ['course', 'section', 'group', 'package']],
    ['as a guardian no change of other people', guardian, { user_ids: ['you'], clazz_id: OTHER }, []],
    ['as a guardian changes of the class of a child', guardian, { clazz_id: OWN }, OF_CLASS],
    ['without the guardian role no change of a child', { ...guardian, roles: ['STUDENT'] }, { user_ids: ['kid'] }, []],
    ['without any role no change', viewer([]), { user_ids: ['me'], clazz_id: OWN, offered: true }, []],
  ];
  it.each(cases)('%s', (_what, who, parts, kinds) => {
    expect(kindsOf(who, parts).toSorted()).toEqual(kinds.toSorted());
  });

  it.each([
    ['themselves', student, 'me'],
    ['a child', guardian, 'kid'],
  ] as const)('all changes that concern %s, without the ids of other people', (_whom, who, user_id) => {
    const theirs = kindsOf(who, { user_ids: ['you', user_id] });
    expect(theirs).toEqual(
      expect.arrayContaining(['roll_call', 'leave', 'account', 'enrolment', 'member', 'submission', 'check_in']),
    );
    expect(theirs).not.toContain('marking');
    for (const kind of theirs)
      expect(visibleChange(who, hint(kind, { user_ids: ['you', user_id] }))?.user_ids, kind).toEqual([user_id]);
  });

  it('no change that only gateways need', () => {
    const change = visibleChange(viewer('SUPERVISOR'), hint('course', { ids: [OWN], offered: true }));
    expect(change).toEqual({ kind: 'course', ids: [OWN], clazz_id: null, user_ids: [] });
  });
});

describe('The relations of a viewer may change', () => {
  it.each([
    ['with their enrolment', student, hint('enrolment', { clazz_id: OTHER, user_ids: ['me'] }), true],
    ["with a child's enrolment", guardian, hint('enrolment', { clazz_id: OTHER, user_ids: ['kid'] }), true],
    ["with a student's enrolment", teacher, hint('enrolment', { clazz_id: OTHER, user_ids: ['taught'] }), true],
    ['with their class', student, hint('clazz', { clazz_id: OWN }), true],
    ['not with a change of a lesson', student, hint('lesson', { clazz_id: OWN, user_ids: ['me'] }), false],
    [
      'not with the enrolment of another person',
      student,
      hint('enrolment', { clazz_id: OTHER, user_ids: ['you'] }),
      false,
    ],
  ])('%s', (_what, who, what, expected) => {
    expect(canChangeRelations(who, what)).toBe(expected);
  });
});
