import { JihuaRow, notFound } from '@teaching/contracts';
import { instant, p, type Row, type Session, statement, table } from '@teaching/kit';

export const dateArray = () => p.array().columnType('date[]');

export const JIHUA = table('jihua', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  teacher_id: p.text(),
  title: p.text(),
  starts_on: p.date(),
  ends_on: p.date(),
  zone: p.text(),
  weekdays: p.array<number>().columnType('int[]').nullable(),
  rrule: p.text().nullable(),
  items: p.json<JihuaRow['items']>(),
  backfill_days: p.integer(),
  frozen_dates: dateArray(),
  planned_dates: dateArray(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** Columns of a plan without `planned_dates`, which can be long. Lists and events use them. */
export const JIHUA_ROW = JIHUA.contractColumns(JihuaRow);
/** A plan without `planned_dates`. It is the payload of the plan's events. */
export const toJihuaRow = ({ planned_dates: _long, ...row }: Row<typeof JIHUA>): JihuaRow => row;

/** The students of a plan. */
export const JIHUA_STUDENT = table('jihua_student', {
  org_id: p.uuid().primary(),
  jihua_id: p.uuid().primary(),
  student_id: p.text().primary(),
  /** First day of the student in the plan. Null: the first day of the plan. */
  since: p.date().nullable(),
});

const LOCK = statement(
  `select ${JIHUA_ROW.columns} from jihua where org_id = $1 and id = $2 for update`,
  JIHUA_ROW.shape,
);

const requireChangeable = <R extends JihuaRow>(session: Session, found: R | undefined): R => {
  if (found === undefined) throw notFound('Plan');
  session.access.requireOwner(found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

/**
 * Loads and locks a plan without `planned_dates`. Only its teacher and supervisors may change it (403). Honours
 * `If-Match`. Throws 404 if the plan does not exist.
 */
export const lockJihua = async (session: Session, id: string): Promise<JihuaRow> =>
  requireChangeable(session, await session.queryOne(LOCK, session.org_id, id));

/** Does the same as `lockJihua`, but loads `planned_dates` too. */
export const lockJihuaWithDays = async (session: Session, id: string): Promise<Row<typeof JIHUA>> =>
  requireChangeable(session, await session.lock(JIHUA, id));
