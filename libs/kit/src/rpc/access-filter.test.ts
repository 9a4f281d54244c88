import type { AccessRule, Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/proofs/test/caller.ts';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { AccessFilter, type RelatedPeople } from './access-filter.ts';

type Whose = Readonly<Partial<Record<Role, 'all' | readonly AccessRule[]>>>;
const reachOf = (access: Whose | null, ...roles: Role[]): AccessFilter =>
  new AccessFilter({ id: 'a.b.do', access }, caller('me', ...roles));

/** Teachers what they lead or own, students what is their own. */
const MIXED: Whose = { SUPERVISOR: 'all', TEACHER: ['lead', 'owner'], STUDENT: ['self'], GUARDIAN: ['self'] };
const STUDENTS_OWN: Whose = { SUPERVISOR: 'all', TEACHER: 'all', STUDENT: ['self'] };
const OWN: Whose = { SUPERVISOR: ['self'], TEACHER: ['self'], STUDENT: ['self'] };

describe('a thing', () => {
  it.each<[string, Role[], RelatedPeople, boolean]>([
    ['a supervisor: anything', ['SUPERVISOR'], { lead: 'li', self: 'ann' }, true],
    ['a teacher who leads it', ['TEACHER'], { lead: 'me', self: 'ann' }, true],
    ['a teacher who is one of its owners', ['TEACHER'], { owner: ['li', 'me'], self: 'ann' }, true],
    ['a teacher, of another', ['TEACHER'], { lead: 'li', owner: ['li'], self: 'ann' }, false],
    ['a teacher, not by a rule for students', ['TEACHER'], { lead: 'li', self: 'me' }, false],
    [
      'a teacher, not by a rule that the contract does not name',
      ['TEACHER'],
      { lead: 'li', teacher: 'me', self: '' },
      false,
    ],
    ['a student of whom it is', ['STUDENT'], { lead: 'li', self: 'me' }, true],
    ['a student, not by a rule for teachers', ['STUDENT'], { lead: 'me', self: 'ann' }, false],
    ['by a statement that found it so', ['STUDENT'], { lead: 'li', self: true }, true],
    ['by a statement that found it not so', ['STUDENT'], { lead: 'li', self: false }, false],
    ['of nobody', ['STUDENT'], { lead: null, self: undefined }, false],
    ['a teacher who learns, as the one', ['TEACHER', 'STUDENT'], { lead: 'me', self: 'ann' }, true],
    ['a teacher who learns, as the other', ['TEACHER', 'STUDENT'], { lead: 'li', self: 'me' }, true],
  ])('is for %s', (_who, roles, standing, expected) => {
    expect(reachOf(MIXED, ...roles).covers(standing)).toBe(expected);
  });

  it('is not for a role that may not call at all', () => {
    expect(reachOf({ STUDENT: ['member'] }, 'TEACHER').covers({ member: 'me' })).toBe(false);
  });

  it('is refused to its owner’s colleagues, and belongs to who makes it or whom a supervisor names', () => {
    const owned: Whose = { SUPERVISOR: 'all', TEACHER: ['owner'] };
    const [teacher, supervisor] = [reachOf(owned, 'TEACHER'), reachOf(owned, 'SUPERVISOR')];
    expect(refusalOf(() => teacher.requireOwner('me'))).toBe('fine');
    expect(refusalOf(() => teacher.requireOwner('li'))).toBe('forbidden');
    expect(refusalOf(() => supervisor.requireOwner('li'))).toBe('fine');
    expect([teacher.ownerOf(null), teacher.ownerOf('me'), supervisor.ownerOf('li')]).toEqual(['me', 'me', 'li']);
    expect(refusalOf(() => teacher.ownerOf('li'))).toBe('forbidden');
  });
});

describe('a list', () => {
  it.each([
    ['TEACHER', undefined, undefined],
    ['TEACHER', ['ann', 'ben'], ['ann', 'ben']],
    ['STUDENT', undefined, ['me']],
    ['STUDENT', ['me'], ['me']],
  ] as const)('for a %s who asks for %j is of %j', (role, asked, shown) => {
    expect(reachOf(STUDENTS_OWN, role).peopleAsked(asked)).toEqual(shown);
  });

  it('shows students nobody else, not even beside themselves', () => {
    for (const asked of [['ann'], ['me', 'ann']]) {
      expect(refusalOf(() => reachOf(STUDENTS_OWN, 'STUDENT').peopleAsked(asked))).toBe('forbidden');
    }
  });

  it('of the caller’s own is of nobody else’s for staff either', () => {
    expect(refusalOf(() => reachOf(OWN, 'SUPERVISOR').personAsked('ann'))).toBe('forbidden');
    expect(reachOf(OWN, 'SUPERVISOR').self()).toBe('me');
  });

  it('is narrowed for who does not reach everything', () => {
    const narrowed = (...roles: Role[]) => reachOf(STUDENTS_OWN, ...roles).goesBy('self');
    expect([narrowed('STUDENT'), narrowed('TEACHER'), narrowed('TEACHER', 'STUDENT')]).toEqual([true, false, false]);
    expect([reachOf(MIXED, 'STUDENT').goesBy('self'), reachOf(MIXED, 'STUDENT').goesBy('lead')]).toEqual([true, false]);
  });
});

describe('the one student it is about', () => {
  const TAUGHT: Whose = { SUPERVISOR: 'all', TEACHER: ['teacher'], STUDENT: ['self'] };
  const asked = (wanted: string | null, ...roles: Role[]) => reachOf(TAUGHT, ...roles).studentAsked(wanted, '/body/id');

  it('is the student, or whom staff name, or staff that also learn', () => {
    expect([asked(null, 'STUDENT'), asked('me', 'STUDENT')]).toEqual(['me', 'me']);
    expect([asked('bob', 'TEACHER'), asked('bob', 'SUPERVISOR')]).toEqual(['bob', 'bob']);
    expect(asked(null, 'TEACHER', 'STUDENT')).toBe('me');
  });

  it('must be said by staff, and is nobody else for a student', () => {
    expect(refusalOf(() => asked(null, 'TEACHER'))).toBe('invalid_request');
    expect(refusalOf(() => asked('bob', 'STUDENT'))).toBe('forbidden');
  });

  it('is not yet decided for who reaches some students only', () => {
    const reach = reachOf(TAUGHT, 'TEACHER');
    reach.studentAsked('bob', '/body/id');
    expect(() => reach.requireAsked()).toThrow('did not ask');
    reach.covers({ teacher: ['me'], self: 'bob' });
    expect(() => reach.requireAsked()).not.toThrow();
  });
});

describe('a handler', () => {
  it('that asks by another rule than its contract says is told so, whoever calls', () => {
    for (const role of ['SUPERVISOR', 'TEACHER', 'STUDENT'] as const) {
      expect(() => reachOf(MIXED, role).covers({ lead: 'me' })).toThrow('a.b.do goes by lead, owner for a TEACHER');
      expect(() => reachOf(MIXED, role).covers({ teacher: 'me', self: 'me' })).toThrow('not by teacher, self');
      expect(() => reachOf(MIXED, role).goesBy('teacher')).toThrow('not by teacher');
    }
  });

  it('has asked only once something was decided for each role', () => {
    const reach = reachOf(MIXED, 'SUPERVISOR');
    expect(() => reach.requireAsked()).toThrow('a.b.do did not ask whose it is');
    reach.goesBy('self');
    expect(() => reach.requireAsked()).toThrow('did not ask');
    reach.covers({ owner: 'li', self: 'ann' });
    expect(() => reach.requireAsked()).not.toThrow();
    reach.askAgain();
    expect(() => reach.requireAsked()).toThrow('did not ask');
  });

  it('has nothing to ask where everybody who may call reaches everything, nor of what is for no people', () => {
    for (const whose of [{ SUPERVISOR: 'all' }, { SUPERVISOR: 'all', TEACHER: 'all' }, null] as const) {
      expect(() => reachOf(whose, 'SUPERVISOR').requireAsked()).not.toThrow();
    }
  });
});
