import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Leaving } from '../scalars.ts';

const ids = z.array(ID).max(1_000);

/** Asked by services that store ids of course records, before they do, and by those whose ids are stored here. */
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
    output: z.object({ category_ids: ids, course_ids: ids, course_section_ids: ids, leaving: Leaving }),
  }),
  countReferences: call({
    id: 'course.reference.count',
    summary: 'How many practices are for this class; asked before it is deleted',
    who: 'service',
    writes: true,
    body: z.strictObject({ clazz_id: ID }),
    output: z.object({ lianxi: z.int() }),
  }),
};
