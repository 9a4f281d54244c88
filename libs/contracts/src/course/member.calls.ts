import { z } from 'zod';
import { call } from '../call.ts';
import { PersonId } from '../scalars.ts';

/** Asked by the service that keeps the directory of people. */
export const courseMemberCalls = {
  erase: call({
    id: 'course.member.erase',
    summary: 'Erase what a person wrote, what was written about them, and the name; once more erases what came since',
    who: 'service',
    asked_by: ['clazz'],
    writes: true,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ texts: z.int() }),
  }),
};
