import { JihuaRow, notFound } from '@teaching/contracts';
import { instant, p, type Row, type Session, statement, table } from '@teaching/kit';

export const dates = () => p.array().columnType('date[]');

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
  frozen_dates: dates(),
  planned_dates: dates(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** A plan as it is listed: everything but its days, which are many. */
export const JIHUA_ROW = JIHUA.contractColumns(JihuaRow);
/** A full plan without its days; also the payload of its events. */
export const toJihuaRow = ({ planned_dates: _many, ...row }: Row<typeof JIHUA>): JihuaRow => row;

/** The students of a plan. */
export const JIHUA_STUDENT = table('jihua_student', {
  org_id: p.uuid().primary(),
  jihua_id: p.uuid().primary(),
  student_id: p.text().primary(),
  /** The first planned day for the student; null: the plan's first. */
  since: p.date().nullable(),
});

const LOCK = statement(
  `select ${JIHUA_ROW.columns} from jihua where org_id = $1 and id = $2 for update`,
  JIHUA_ROW.shape,
);

const forChange = <R extends JihuaRow>(session: Session, found: R | undefined): R => {
  if (found === undefined) throw notFound('Jihua');
  session.access.requireOwner(found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

/** Loads and locks one plan, without its days, for a change by its teacher or a supervisor. */
export const lockJihua = async (session: Session, id: string): Promise<JihuaRow> =>
  forChange(session, await session.queryOne(LOCK, session.org_id, id));

/** The same with its days, which are many. */
export const lockWholeJihua = async (session: Session, id: string): Promise<Row<typeof JIHUA>> =>
  forChange(session, await session.lock(JIHUA, id));
