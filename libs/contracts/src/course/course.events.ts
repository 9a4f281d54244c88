import { z } from 'zod';
import { event } from '../event.ts';
import { ID, Instant, PersonId, Role } from '../scalars.ts';

/** Events that other services build on; the rest of the course service's events stand beside them. */
export const courseEvents = {
  membersChanged: event(
    'course.member.changed',
    'People were added to the directory or renamed',
    z.object({
      members: z.array(z.object({ user_id: PersonId, role: Role, display_name: z.string() })),
    }),
  ),
  submissionMarked: event(
    'course.piyue.marked',
    'A submission was marked or marked again; scores stay inside until release',
    z.object({
      submission_id: ID,
      lianxi_id: ID,
      student_id: PersonId,
      marker_id: PersonId,
      submitted_at: Instant,
      marked_at: Instant,
      revision: z.int(),
    }),
  ),
};
