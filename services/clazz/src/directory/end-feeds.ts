import { type Session, statement } from '@teaching/kit';

const END = statement(
  `delete from calendar_feed f where org_id = $1 and user_id <> student_id and (user_id = $2 or student_id = $2)
   and not exists (select from guardian g where g.org_id = f.org_id and g.student_id = f.student_id and g.user_id = f.user_id)`,
);

/** Ends the addresses that guardians of this student, or this guardian, had by links that are gone: also if they return. */
export const endFeeds = (session: Session, user_id: string): void => session.run(END, session.org_id, user_id);
