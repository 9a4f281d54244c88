import { type Clazz, type Enrolment, type enrolmentCalls, notFound, type ShownEnrolment } from '@teaching/contracts';
import { equalsAnyOf, type Handler, nameColumns, pagedList, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { findClazz } from '../record/load-clazz.ts';
import { withStudentNames } from '../record/member-names.ts';
import { clazzNameColumn, ENROLMENT_PERIOD } from '../record/record.tables.ts';
import { WIRE_ENROLMENT } from './people.tables.ts';

const OPEN = statement(
  `select ${WIRE_ENROLMENT.columns} from enrolment
   where org_id = $1 and clazz_id = $2 and status in ('waiting', 'active', 'suspended')
     and ($3::text[] is null or student_id = any($3))
   order by seq`,
  WIRE_ENROLMENT.shape,
);

/** The enrolments that have not ended, in the order of the waiting list: of some students or of all. */
export const openEnrolments = (
  session: Session,
  clazz_id: string,
  students: readonly string[] | null = null,
): Promise<Enrolment[]> => session.query(OPEN, session.org_id, clazz_id, students);

const OVERLAPPING = statement(
  `select distinct student_id from enrolment_period
   where org_id = $1 and clazz_id = $2 and student_id = any($3::text[]) and during && tstzrange($4, null)`,
  ENROLMENT_PERIOD.pick('student_id').shape,
);

/** The students who belong to the class at or after a moment. */
export const studentsEnrolledSince = async (
  session: Session,
  clazz_id: string,
  students: readonly string[],
  since: string,
): Promise<string[]> =>
  (await session.query(OVERLAPPING, session.org_id, clazz_id, students, since)).map((row) => row.student_id);

const LAST = statement(
  `select ${WIRE_ENROLMENT.columns} from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3
   order by status in ('waiting', 'active', 'suspended') desc, seq desc limit 1`,
  WIRE_ENROLMENT.shape,
);

/** The open enrolment of a student in a class, else the last one. 404 if there was none. */
export const requireEnrolment = async (session: Session, clazz_id: string, student_id: string): Promise<Enrolment> => {
  const found = await session.queryOne(LAST, session.org_id, clazz_id, student_id);
  if (found === undefined) throw notFound('Enrolment');
  return found;
};

/** Enrolments of one class as answers contain them. All names are read by one statement. */
export const shownEnrolments = (
  session: Session,
  { name: clazz_name }: Pick<Clazz, 'name'>,
  rows: readonly Enrolment[],
): Promise<ShownEnrolment[]> =>
  withStudentNames(
    session,
    rows.map((row) => ({ ...row, clazz_name })),
  );

const clazz = clazzNameColumn('e');
const named = nameColumns('e', 'student_id');
const list = pagedList({
  columns: `${WIRE_ENROLMENT.withAlias('e')}, ${clazz.columns}, ${named.columns}`,
  shape: { ...WIRE_ENROLMENT.shape, ...clazz.shape, ...named.shape },
  from: 'enrolment e',
  sorts: { seq: { by: 'seq', type: 'bigint' } },
  where: { clazz_id: 'clazz_id = ?', status: equalsAnyOf('status') },
});

export const listEnrolments: Handler<typeof enrolmentCalls.listEnrolments> = async ({ path, query }, session) => {
  const { id } = await findClazz(session, path.id);
  const found = await list(session, { ...query, sort: 'seq' }, { ...query, clazz_id: id });
  auditRead(session, 'enrolment', [id]);
  return found;
};
