import { z } from 'zod';
import { call } from '../call.ts';
import { ID } from '../scalars.ts';

const ids = z.array(ID).max(1_000);

/** Asked by services that store ids of course records, before they do. */
export const courseReferenceCalls = {
  checkReferences: call({
    id: 'course.reference.check',
    summary: 'Which of these ids do not exist in the org',
    who: 'service',
    writes: false,
    body: z.strictObject({
      category_ids: ids,
      course_ids: ids,
      sections: z.array(z.strictObject({ course_id: ID, course_section_id: ID })).max(1_000),
    }),
    output: z.object({ category_ids: ids, course_ids: ids, course_section_ids: ids }),
  }),
};
