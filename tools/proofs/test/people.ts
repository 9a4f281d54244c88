import { randomUUID } from 'node:crypto';
import type { Role } from '../../../libs/contracts/src/index.ts';
import type { Api } from './api.ts';
import type { Fixture } from './fixture.ts';

/** Who calls in most tests: somebody of each role, by default always the same one, and who must see nothing. */
export interface People {
  supervisor: (sub?: string) => Api;
  teacher: (sub?: string) => Api;
  student: (sub?: string) => Api;
  /** Somebody of an organization that has nothing, another one each time. */
  stranger: (role?: Role) => Api;
  /** A student of another organization who is called as one of ours is. */
  namesake: (sub?: string) => Api;
}

/** The fixture is asked for at each call, because `beforeAll` makes it. `student`: who it is when none is named. */
export const peopleOf = (fixture: () => Fixture, student = 'student-1'): People => ({
  supervisor: (sub) => fixture().as({ role: 'SUPERVISOR', sub }),
  teacher: (sub) => fixture().as({ role: 'TEACHER', sub }),
  student: (sub = student) => fixture().as({ role: 'STUDENT', sub }),
  stranger: (role = 'SUPERVISOR') => fixture().as({ role, org: randomUUID() }),
  namesake: (sub = student) => fixture().as({ role: 'STUDENT', sub, org: randomUUID() }),
});
