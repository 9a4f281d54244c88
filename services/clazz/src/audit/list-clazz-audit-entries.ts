import { type auditCalls, AuditEntry, type Input, notFound, type ShownAuditEntry } from '@teaching/contracts';
import { notNull, type Handler, p, type Page, type Session, statement, unionColumns } from '@teaching/kit';
import { AUDIT_LOG } from './audit.tables.ts';
import { EXPORT_ROWS, csvPage, isCsvRequest } from './csv-export.ts';
import { ENTRY_NAMES, writeAuditCsv } from './audit-csv.ts';
import { attachTexts, withTextKeys } from './audit-texts.rules.ts';
import { textsOf } from './erase-texts.ts';
import { waitForAuditEntries } from './audit-progress.ts';

/** Without `clazz_id`: for a list of several classes it is the requested class. */
const SHOWN = AUDIT_LOG.contractColumns(AuditEntry.omit({ clazz_id: true }));

/** The newest entries before `$3`, at most `$9`, that match the condition `which` by an index. */
const newest = (which: string): string => `
  (select ${SHOWN.columns}, $2::uuid as clazz_id from clazz_audit_log
   where org_id = $1 and ${which} and ($3::bigint is null or seq < $3)
     and ($4::text[] is null or actor_id = any($4)) and ($5::text[] is null or action = any($5))
     and ($6::text[] is null or entity = any($6))
     and ($7::timestamptz is null or occurred_at >= $7) and ($8::timestamptz is null or occurred_at < $8)
   order by seq desc limit $9)`;

/**
 * Entries about the class and lists that showed a record of it. Each kind is found by its own index, then both are
 * merged.
 */
const TRAIL = statement(
  `select a.*, ${ENTRY_NAMES.columns} from (
     ${newest('clazz_id = $2')} union all ${newest('clazz_ids @> array[$2::uuid]')} order by seq desc limit $9
   ) as a order by a.seq desc`,
  { ...unionColumns(SHOWN.shape), clazz_id: notNull(p.uuid()), ...ENTRY_NAMES.shape },
);

/** A page of the audit log of a class, newest first. A cursor is valid for the same filters only. */
const trailOf = async (
  session: Session,
  clazz_id: string,
  { cursor, actor_id, action, entity, from, to }: Input<typeof auditCalls.listClazzAuditEntries>['query'],
  limit: number,
): Promise<Page<ShownAuditEntry>> => {
  const filters = [actor_id ?? null, action ?? null, entity ?? null, from ?? null, to ?? null] as const;
  const list = JSON.stringify([clazz_id, filters]);
  const after = session.readCursor(cursor, list);
  const rows = await session.query(TRAIL, session.org_id, clazz_id, after?.[0] ?? null, ...filters, limit + 1);
  const found = rows.slice(0, limit);
  const known = await textsOf(session, found);
  const items = found.map((entry) => withTextKeys(attachTexts(entry, known), known));
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last === undefined ? null : session.signCursor([last.seq], list) };
};

const FIND = statement(
  `select (select lead_teacher_id from clazz where org_id = $1 and id = $2),
     exists (select from clazz_audit_log where org_id = $1 and clazz_id = $2) as logged`,
  { lead_teacher_id: p.text().nullable(), logged: notNull(p.boolean()) },
);

/** A supervisor reads the audit log of any class, also of a deleted one. A lead teacher reads that of own classes. */
const requireReader = async (session: Session, clazz_id: string): Promise<void> => {
  const found = await session.queryOne(FIND, session.org_id, clazz_id);
  const exists = found?.lead_teacher_id != null;
  const isProof = !session.access.isLimitedTo('lead') && found?.logged === true;
  if (!exists && !isProof) throw notFound('Class');
  session.access.requireAccess({ lead: found?.lead_teacher_id }, "Only the class's lead teacher or a supervisor may");
};

export const listClazzAuditEntries: Handler<typeof auditCalls.listClazzAuditEntries> = async (
  { path, query },
  session,
) => {
  const csv = isCsvRequest(session);
  const complete = query.cursor !== undefined || (await waitForAuditEntries(session)).complete;
  await requireReader(session, path.id);
  const found = await trailOf(session, path.id, query, csv ? EXPORT_ROWS : query.limit);
  return csv ? csvPage(found, query, { name: 'audit-log', write: writeAuditCsv }) : { ...found, complete };
};
