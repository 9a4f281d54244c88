import { z } from 'zod';
import { call } from '../call.ts';
import { ID, PersonId } from '../scalars.ts';

/** For the service that owns a record, before it deletes the record. */
export const packageReferenceCalls = {
  countReferences: call({
    id: 'package.reference.count',
    summary: 'Count the packages that use a category, course or section, before it is deleted',
    who: 'service',
    asked_by: ['course'],
    writes: true,
    body: z.union([
      z.strictObject({ category_id: ID }),
      z.strictObject({ course_id: ID, course_section_id: ID.optional() }),
    ]),
    output: z.object({ packages: z.int() }),
  }),
  countPerson: call({
    id: 'package.reference.count_person',
    summary: 'Count the packages that a person owns, before the person is deleted',
    who: 'service',
    asked_by: ['clazz'],
    writes: false,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ packages: z.int() }),
  }),
};
