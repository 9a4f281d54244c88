import { randomUUID } from 'node:crypto';
import type { Role } from '../../../libs/contracts/src/index.ts';
import type { Api } from './api.ts';
import type { Fixture } from './fixture.ts';

/** Clients of the API for the roles that most tests need. Without an id each is always the same person. */
export interface People {
  supervisor: (sub?: string) => Api;
  teacher: (sub?: string) => Api;
  student: (sub?: string) => Api;
  /** A person of an organization without data, a new organization each time. */
  stranger: (role?: Role) => Api;
  /** A student of another organization with the same id as one of ours. */
  namesake: (sub?: string) => Api;
}

/** `fixture` is called at each use, because `beforeAll` creates it. `student`: the default id of the student. */
export const peopleOf = (fixture: () => Fixture, student = 'student-1'): People => ({
  supervisor: (sub) => fixture().as({ role: 'SUPERVISOR', sub }),
  teacher: (sub) => fixture().as({ role: 'TEACHER', sub }),
  student: (sub = student) => fixture().as({ role: 'STUDENT', sub }),
  stranger: (role = 'SUPERVISOR') => fixture().as({ role, org: randomUUID() }),
  namesake: (sub = student) => fixture().as({ role: 'STUDENT', sub, org: randomUUID() }),
});
