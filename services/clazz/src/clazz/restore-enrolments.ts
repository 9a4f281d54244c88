import { type Session, statement } from '@teaching/kit';
import { LISTED } from '../people/enrolment.table.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { COMPLETION } from './completion.table.ts';

const ENDED = statement(
  `select ${LISTED.columns} from enrolment where org_id = $1 and id = any($2::uuid[]) order by seq`,
  LISTED.shape,
);

/** Gives the enrolments that completing a class ended the status they had. */
export const restoreEnrolments = async (session: Session, clazz_id: string, reason: string): Promise<void> => {
  const completion = await session.find(COMPLETION, clazz_id);
  if (completion === undefined) return;
  const status = new Map(completion.enrolments.map((row) => [row.id, row.status]));
  const rows = await session.query(ENDED, session.org_id, [...status.keys()]);
  const changes = rows.map((before) => ({
    before,
    after: { ...before, status: status.get(before.id) ?? before.status, until: null },
  }));
  await saveEnrolments(session, clazz_id, changes, { reason, closed_at: completion.at });
};
