import { type auditCalls, notFound } from '@teaching/contracts';
import { always, type Handler, p, type Session, statement } from '@teaching/kit';
import { writeEntries } from './entries-csv.rules.ts';
import { EXPORT_ROWS, exported, isExport } from './export.ts';
import { trailOf } from './trail.ts';
import { waitUntilWritten } from './wait-until-written.ts';

const FIND = statement(
  `select (select lead_teacher_id from clazz where org_id = $1 and id = $2),
     exists (select from clazz_audit_log where org_id = $1 and clazz_id = $2) as logged`,
  { lead_teacher_id: p.text().nullable(), logged: always(p.boolean()) },
);

/** A supervisor reads the trail of any class, also of a deleted one; a lead teacher that of their own. */
const requireReader = async (session: Session, clazz_id: string): Promise<void> => {
  const found = await session.one(FIND, session.org_id, clazz_id);
  const exists = found?.lead_teacher_id != null;
  const isProof = !session.reach.goesBy('lead') && found?.logged === true;
  if (!exists && !isProof) throw notFound('Class');
  session.reach.require({ lead: found?.lead_teacher_id }, "Only the class's lead teacher or a supervisor may");
};

export const listClazzAuditEntries: Handler<typeof auditCalls.listClazzAuditEntries> = async (
  { path, query },
  session,
) => {
  const csv = isExport(session, query);
  const complete = query.cursor !== undefined || (await waitUntilWritten(session)).complete;
  await requireReader(session, path.id);
  const found = await trailOf(session, path.id, query, csv ? EXPORT_ROWS : query.limit);
  return csv ? exported(found, query, { name: 'audit-log', write: writeEntries }) : { ...found, complete };
};
