import { CLAZZES } from '../../../tools/developers/school/clazzes.ts';
import { makeSchool } from '../../../tools/developers/school/make-school.ts';
import { HEAD, createSchoolContext } from '../../../tools/developers/school/school-context.ts';
import type { Length } from '../../../tools/developers/school/term.rules.ts';
import type { Fixture, Person } from '../../../tools/proofs/test/fixture.ts';

/** One person of each role whose screens have much content. */
export const SCHOOL_PEOPLE = {
  office: { role: 'SUPERVISOR', sub: HEAD },
  teacher: { role: 'TEACHER', sub: 'carmen-vega' },
  student: { role: 'STUDENT', sub: 'yue-lin' },
  guardian: { role: 'GUARDIAN', sub: 'wei-lin' },
} as const satisfies Record<string, Person>;

/** Creates the demo school in the organization of a fixture. */
export const createDemoSchool = async (fixture: Fixture, length: Length): Promise<void> => {
  await makeSchool(
    createSchoolContext({
      wish: { clazzes: CLAZZES, length, now: new Date() },
      address: fixture.address,
      tokenFor: (sub, role) => fixture.token({ sub, role }),
      onStep: () => undefined,
      note: () => undefined,
    }),
  );
};
