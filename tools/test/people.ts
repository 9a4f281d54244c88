import { randomUUID } from 'node:crypto';
import type { Role } from '../../libs/contracts/src/index.ts';
import type { Api } from './api.ts';
import type { Fixture } from './fixture.ts';

/** Who acts in a test, by role; the fixture is asked when they do, for it starts later than the file. */
export const people = (fixture: () => Fixture) => ({
  supervisor: (sub = 'supervisor-1'): Api => fixture().as({ role: 'SUPERVISOR', sub }),
  teacher: (sub = 'teacher-1'): Api => fixture().as({ role: 'TEACHER', sub }),
  student: (sub = 'student-1'): Api => fixture().as({ role: 'STUDENT', sub }),
  /** Somebody of an organization that has nothing. */
  stranger: (role: Role = 'SUPERVISOR'): Api => fixture().as({ role, org: randomUUID() }),
});
