import { type Jihua, type JihuaRow, notFound } from '@teaching/contracts';
import { type Session, statement, requireOwner } from '@teaching/kit';

export const JIHUA_COLUMNS = `j.id, j.org_id, j.teacher_id, j.title, j.starts_on, j.ends_on, j.zone, j.weekdays, j.rrule,
  j.items, j.backfill_days, j.frozen_dates, j.version, j.created_at, j.updated_at`;

/** A plan as it is stored. */
export type StoredJihua = JihuaRow & Pick<Jihua, 'planned_dates'>;

const LOCK = statement<StoredJihua>(
  `select ${JIHUA_COLUMNS}, j.planned_dates from jihua j where j.org_id = $1 and j.id = $2 for update`,
);
const SAVE = statement(
  `insert into jihua (org_id, id, teacher_id, title, starts_on, ends_on, zone, weekdays, rrule, items, backfill_days,
     frozen_dates, planned_dates, version, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   on conflict (org_id, id) do update
   set title = excluded.title, starts_on = excluded.starts_on, ends_on = excluded.ends_on, zone = excluded.zone,
       weekdays = excluded.weekdays, rrule = excluded.rrule, items = excluded.items,
       backfill_days = excluded.backfill_days, frozen_dates = excluded.frozen_dates,
       planned_dates = excluded.planned_dates, version = excluded.version, updated_at = excluded.updated_at`,
);

/** Loads and locks one plan for a change by whoever made it or a supervisor. */
export const lockJihua = async (session: Session, id: string): Promise<StoredJihua> => {
  const found = await session.one(LOCK, session.org_id, id);
  if (found === undefined) throw notFound('Jihua');
  requireOwner(session.caller, found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

export const saveJihua = (session: Session, it: StoredJihua): void => {
  const who = [it.org_id, it.id, it.teacher_id, it.title];
  const when = [it.starts_on, it.ends_on, it.zone, it.weekdays, it.rrule, JSON.stringify(it.items), it.backfill_days];
  const days = [it.frozen_dates, it.planned_dates];
  session.run(SAVE, ...who, ...when, ...days, it.version, it.created_at, it.updated_at);
};

/** Without the days, which are many: for events and lists. */
export const toRow = ({ planned_dates: _many, ...row }: StoredJihua): JihuaRow => row;
