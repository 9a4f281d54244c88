import { type AuditEntry, type auditCalls, notFound, Problem } from '@teaching/contracts';
import {
  type Filter,
  type Handler,
  isSupervisor,
  type Page,
  pagedList,
  Reply,
  type Session,
  statement,
} from '@teaching/kit';
import { toCsv } from './csv.rules.ts';
import { waitUntilWritten } from './wait-until-written.ts';

export const ENTRY_COLUMNS = `id, org_id, seq, clazz_id, action, entity, entity_id, actor_id, actor_roles, occurred_at,
  request_id, trace_id, ip, reason, changes, prev_hash, hash`;

const list = pagedList<AuditEntry, 'seq'>({
  columns: ENTRY_COLUMNS,
  from: 'clazz_audit_log',
  id: { by: 'seq', type: 'bigint' },
  sorts: { seq: { by: 'seq', type: 'bigint' } },
});

const FIND = statement<{ lead_teacher_id: string | null; logged: boolean }>(
  `select (select lead_teacher_id from clazz where org_id = $1 and id = $2),
     exists (select from clazz_audit_log where org_id = $1 and clazz_id = $2) as logged`,
);

/** A supervisor reads the trail of any class, also of a deleted one; a lead teacher that of their own. */
const requireReader = async (session: Session, clazz_id: string): Promise<void> => {
  const found = await session.one(FIND, session.org_id, clazz_id);
  const exists = found?.lead_teacher_id != null;
  if (!exists && !(isSupervisor(session.caller) && found?.logged === true)) throw notFound('Class');
  if (!isSupervisor(session.caller) && found?.lead_teacher_id !== session.caller.user_id) {
    throw new Problem('forbidden', "Only the class's lead teacher or a supervisor may");
  }
};

const given = (condition: string, value: string | undefined): Filter[] =>
  value === undefined ? [] : [[condition, value]];

/** Rows of one message of an export; the gateway asks for the next until there is none. */
const EXPORT_ROWS = 500;

export const listEntries: Handler<typeof auditCalls.list> = async ({ path, query }, session) => {
  if (query.cursor === undefined) await waitUntilWritten(session);
  await requireReader(session, path.id);
  const csv = session.accept === 'text/csv';
  const limit = csv ? EXPORT_ROWS : query.limit;
  const found = await list(session, { limit, cursor: query.cursor, sort: '-seq' }, [
    ['org_id = ?', session.org_id],
    ['clazz_id = ?', path.id],
    ...given('actor_id = ?', query.actor_id),
    ...given('action = ?', query.action),
    ...given('entity = ?', query.entity),
    ...given('occurred_at >= ?', query.from),
    ...given('occurred_at < ?', query.to),
  ]);
  if (!csv) return found;
  return new Reply<Page<AuditEntry>>(toCsv(found.items, query.cursor === undefined), {
    type: 'text/csv; charset=utf-8',
    ...(found.next_cursor === null ? {} : { next: found.next_cursor }),
    headers: { 'content-disposition': 'attachment; filename="audit-log.csv"' },
  });
};
