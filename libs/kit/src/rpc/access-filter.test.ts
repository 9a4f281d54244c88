import type { AccessRule, Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/proofs/test/caller.ts';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { AccessFilter, type RelatedPeople } from './access-filter.ts';

type AccessRules = Readonly<Partial<Record<Role, 'all' | readonly AccessRule[]>>>;
const filterFor = (access: AccessRules | null, ...roles: Role[]): AccessFilter =>
  new AccessFilter({ id: 'a.b.do', access }, caller('me', ...roles));

/** A teacher may access the records that they lead or own, a student and a guardian their own records. */
const MIXED: AccessRules = { SUPERVISOR: 'all', TEACHER: ['lead', 'owner'], STUDENT: ['self'], GUARDIAN: ['self'] };
const STUDENTS_SELF: AccessRules = { SUPERVISOR: 'all', TEACHER: 'all', STUDENT: ['self'] };
const SELF_ONLY: AccessRules = { SUPERVISOR: ['self'], TEACHER: ['self'], STUDENT: ['self'] };

describe('Access to a record', () => {
  it.each<[string, Role[], RelatedPeople, boolean]>([
    ['a supervisor, who may access every record', ['SUPERVISOR'], { lead: 'li', self: 'ann' }, true],
    ['a teacher who leads it', ['TEACHER'], { lead: 'me', self: 'ann' }, true],
    ['a teacher who is one of its owners', ['TEACHER'], { owner: ['li', 'me'], self: 'ann' }, true],
    ['a teacher who neither leads nor owns it', ['TEACHER'], { lead: 'li', owner: ['li'], self: 'ann' }, false],
    ['a teacher related to it only by a rule for students', ['TEACHER'], { lead: 'li', self: 'me' }, false],
    [
      'a teacher related to it only by a rule that the contract does not name',
      ['TEACHER'],
      { lead: 'li', teacher: 'me', self: '' },
      false,
    ],
    ['the student to whom it belongs', ['STUDENT'], { lead: 'li', self: 'me' }, true],
    ['a student related to it only by a rule for teachers', ['STUDENT'], { lead: 'me', self: 'ann' }, false],
    ['a student for whom a statement found true', ['STUDENT'], { lead: 'li', self: true }, true],
    ['a student for whom a statement found false', ['STUDENT'], { lead: 'li', self: false }, false],
    ['a student, if it has no related people', ['STUDENT'], { lead: null, self: undefined }, false],
    [
      'a teacher who is also a student, by a rule for teachers',
      ['TEACHER', 'STUDENT'],
      { lead: 'me', self: 'ann' },
      true,
    ],
    [
      'a teacher who is also a student, by a rule for students',
      ['TEACHER', 'STUDENT'],
      { lead: 'li', self: 'me' },
      true,
    ],
  ])('is decided by the contract’s rules for %s', (_case, roles, related, expected) => {
    expect(filterFor(MIXED, ...roles).allows(related)).toBe(expected);
  });

  it('is denied to a role that may not make the call', () => {
    expect(filterFor({ STUDENT: ['member'] }, 'TEACHER').allows({ member: 'me' })).toBe(false);
  });

  it('is limited to its owner; a new record gets its creator as the owner, or the person a supervisor names', () => {
    const owned: AccessRules = { SUPERVISOR: 'all', TEACHER: ['owner'] };
    const [teacher, supervisor] = [filterFor(owned, 'TEACHER'), filterFor(owned, 'SUPERVISOR')];
    expect(refusalOf(() => teacher.requireOwner('me'))).toBe('fine');
    expect(refusalOf(() => teacher.requireOwner('li'))).toBe('forbidden');
    expect(refusalOf(() => supervisor.requireOwner('li'))).toBe('fine');
    expect([teacher.resolveOwner(null), teacher.resolveOwner('me'), supervisor.resolveOwner('li')]).toEqual([
      'me',
      'me',
      'li',
    ]);
    expect(refusalOf(() => teacher.resolveOwner('li'))).toBe('forbidden');
  });
});

describe('The people of a list', () => {
  it.each([
    ['TEACHER', undefined, undefined],
    ['TEACHER', ['ann', 'ben'], ['ann', 'ben']],
    ['STUDENT', undefined, ['me']],
    ['STUDENT', ['me'], ['me']],
  ] as const)('for a %s who requests %j are %j', (role, requested, expected) => {
    expect(filterFor(STUDENTS_SELF, role).requestedPeople(requested)).toEqual(expected);
  });

  it('are refused to a student who requests another person, even together with themselves', () => {
    for (const requested of [['ann'], ['me', 'ann']]) {
      expect(refusalOf(() => filterFor(STUDENTS_SELF, 'STUDENT').requestedPeople(requested))).toBe('forbidden');
    }
  });

  it('are the caller only, also for staff, if every role has the rule `self`', () => {
    expect(refusalOf(() => filterFor(SELF_ONLY, 'SUPERVISOR').requestedPerson('ann'))).toBe('forbidden');
    expect(filterFor(SELF_ONLY, 'SUPERVISOR').requireSelf()).toBe('me');
  });

  it('are filtered by a rule if no role of the caller may access everything', () => {
    const isFiltered = (...roles: Role[]) => filterFor(STUDENTS_SELF, ...roles).isLimitedTo('self');
    expect([isFiltered('STUDENT'), isFiltered('TEACHER'), isFiltered('TEACHER', 'STUDENT')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([filterFor(MIXED, 'STUDENT').isLimitedTo('self'), filterFor(MIXED, 'STUDENT').isLimitedTo('lead')]).toEqual([
      true,
      false,
    ]);
  });
});

describe('The student of a call', () => {
  const TAUGHT: AccessRules = { SUPERVISOR: 'all', TEACHER: ['teacher'], STUDENT: ['self'] };
  const requested = (wanted: string | null, ...roles: Role[]) =>
    filterFor(TAUGHT, ...roles).requestedStudent(wanted, '/body/id');

  it('is the calling student, the student that staff name, or the staff member who is also a student', () => {
    expect([requested(null, 'STUDENT'), requested('me', 'STUDENT')]).toEqual(['me', 'me']);
    expect([requested('bob', 'TEACHER'), requested('bob', 'SUPERVISOR')]).toEqual(['bob', 'bob']);
    expect(requested(null, 'TEACHER', 'STUDENT')).toBe('me');
  });

  it('must be named by staff, and cannot be another student if a student calls', () => {
    expect(() => requested(null, 'TEACHER')).toThrow('does not require /body/id from staff');
    expect(refusalOf(() => requested('bob', 'STUDENT'))).toBe('forbidden');
  });

  it('still has to be checked for a teacher who may access some students only', () => {
    const access = filterFor(TAUGHT, 'TEACHER');
    access.requestedStudent('bob', '/body/id');
    expect(() => access.requireChecked()).toThrow('did not check access');
    access.allows({ teacher: ['me'], self: 'bob' });
    expect(() => access.requireChecked()).not.toThrow();
  });
});

describe('A handler', () => {
  it('fails for every role if it checks a rule that its contract does not name', () => {
    for (const role of ['SUPERVISOR', 'TEACHER', 'STUDENT'] as const) {
      expect(() => filterFor(MIXED, role).allows({ lead: 'me' })).toThrow(
        'a.b.do has the access rules lead, owner for a TEACHER',
      );
      expect(() => filterFor(MIXED, role).allows({ teacher: 'me', self: 'me' })).toThrow(
        'but the handler checked teacher, self',
      );
      expect(() => filterFor(MIXED, role).isLimitedTo('teacher')).toThrow('but the handler checked teacher');
    }
  });

  it('has to check a rule of every role that does not access everything', () => {
    const access = filterFor(MIXED, 'SUPERVISOR');
    expect(() => access.requireChecked()).toThrow('a.b.do did not check access');
    access.isLimitedTo('self');
    expect(() => access.requireChecked()).toThrow('did not check access');
    access.allows({ owner: 'li', self: 'ann' });
    expect(() => access.requireChecked()).not.toThrow();
    access.resetChecks();
    expect(() => access.requireChecked()).toThrow('did not check access');
  });

  it('need not check access if every role may access everything, or if the call is not for people', () => {
    for (const whose of [{ SUPERVISOR: 'all' }, { SUPERVISOR: 'all', TEACHER: 'all' }, null] as const) {
      expect(() => filterFor(whose, 'SUPERVISOR').requireChecked()).not.toThrow();
    }
  });
});
