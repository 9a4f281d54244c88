import { z } from 'zod';
import { call } from '../call.ts';
import { ID, PersonId } from '../scalars.ts';

/** Asked by the service that owns a thing, or the directory, before it is deleted. */
export const packageReferenceCalls = {
  countReferences: call({
    id: 'package.reference.count',
    summary: 'How many packages use this category, course or section; asked before it is deleted',
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
    summary: 'How many packages this person owns; asked before they are taken from the directory',
    who: 'service',
    asked_by: ['clazz'],
    writes: false,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ packages: z.int() }),
  }),
};
