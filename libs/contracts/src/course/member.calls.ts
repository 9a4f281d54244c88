import { z } from 'zod';
import { call } from '../call.ts';
import { PersonId } from '../scalars.ts';

/** For the class service, which owns the directory. */
export const courseMemberCalls = {
  erase: call({
    id: 'course.member.erase',
    summary: 'Erase the name of a person and all texts by and about the person. A repeated call erases newer texts',
    who: 'service',
    asked_by: ['clazz'],
    writes: true,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ texts: z.int() }),
  }),
};
