import { z } from 'zod';
import { call } from '../call.ts';
import { PersonId, text } from '../scalars.ts';

/** Asked by the service that keeps the directory of people. */
export const clazzMemberCalls = {
  erase: call({
    id: 'clazz.member.erase',
    summary: 'Erase the free texts about a person, also from the audit trail; once more erases what came since',
    who: 'service',
    writes: true,
    body: z.strictObject({ user_id: PersonId, reason: text(1_000) }),
    output: z.object({ texts: z.int() }),
  }),
};
