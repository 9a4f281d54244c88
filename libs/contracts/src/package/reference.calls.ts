import { z } from 'zod';
import { call } from '../call.ts';
import { ID } from '../scalars.ts';

/** Asked by the course service before it deletes something. */
export const packageReferenceCalls = {
  countReferences: call({
    id: 'package.reference.count',
    summary: 'How many packages use this category, course or section; asked before it is deleted',
    who: 'service',
    writes: true,
    body: z.union([
      z.strictObject({ category_id: ID }),
      z.strictObject({ course_id: ID, course_section_id: ID.optional() }),
    ]),
    output: z.object({ packages: z.int() }),
  }),
};
