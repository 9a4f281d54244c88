import { randomUUID } from 'node:crypto';
import type { Api } from './api.ts';
import type { Fixture } from './fixture.ts';

/** Who calls in most tests: somebody of each role, by default always the same one, and a stranger. */
export interface People {
  supervisor: (sub?: string) => Api;
  teacher: (sub?: string) => Api;
  student: (sub?: string) => Api;
  /** A supervisor of an organization that is another one each time. */
  stranger: () => Api;
}

/** The fixture is asked for at each call, because `beforeAll` makes it. */
export const peopleOf = (fixture: () => Fixture): People => ({
  supervisor: (sub) => fixture().as({ role: 'SUPERVISOR', sub }),
  teacher: (sub) => fixture().as({ role: 'TEACHER', sub }),
  student: (sub) => fixture().as({ role: 'STUDENT', sub }),
  stranger: () => fixture().as({ role: 'SUPERVISOR', org: randomUUID() }),
});
