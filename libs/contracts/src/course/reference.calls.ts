import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Leaving, PersonId } from '../scalars.ts';

const ids = z.array(ID).max(1_000);

/** For services that store ids of course records, and for services whose ids the course service stores. */
export const courseReferenceCalls = {
  checkReferences: call({
    id: 'course.reference.check',
    summary: 'Find the ids of a list that do not exist in the organization',
    who: 'service',
    asked_by: ['clazz', 'package'],
    writes: false,
    body: z.strictObject({
      category_ids: ids,
      course_ids: ids,
      sections: z.array(z.strictObject({ course_id: ID, course_section_id: ID })).max(1_000),
    }),
    output: z.object({ category_ids: ids, course_ids: ids, course_section_ids: ids, leaving: Leaving }),
  }),
  countReferences: call({
    id: 'course.reference.count',
    summary: 'Count the exercises of a class, before it is deleted',
    who: 'service',
    asked_by: ['clazz'],
    writes: true,
    body: z.strictObject({ clazz_id: ID }),
    output: z.object({ lianxi: z.int() }),
  }),
  countPerson: call({
    id: 'course.reference.count_person',
    summary: 'Count the records that refer to a person as owner or student, before the person is deleted',
    who: 'service',
    asked_by: ['clazz'],
    writes: false,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ courses: z.int(), groups: z.int(), lianxi: z.int(), jihua: z.int(), submissions: z.int() }),
  }),
};
