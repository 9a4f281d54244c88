import { type Session, statement } from '@teaching/kit';
import { ERASED, GEN } from '../figures/sql-fragments.ts';
import { rangeOf, type StatsRange } from '../range/range.rules.ts';
import { MEMBER } from '../records/member.ts';

/** Rows of more slices than two months have days are many. */
const WIDE = 62;

export const STUDENTS = 'Students see their own statistics only';
export const TEACHERS = 'Teachers see their own statistics only';

/** Students see themselves; staff any student of the org. */
export const requestedStudent = ({ caller, access }: Session, student_id: string | undefined): string =>
  access.requestedPerson(student_id, STUDENTS) ?? caller.user_id;

/** Teachers see themselves; supervisors any teacher. */
export const requestedTeacher = ({ caller, access }: Session, teacher_id: string | undefined): string =>
  access.requestedPerson(teacher_id, TEACHERS) ?? caller.user_id;

export interface RequestedRange {
  range: StatsRange;
  /** Whether the write of the consistency token that came along is in the figures. */
  included: boolean;
  /** To be awaited before the rows of a wide range are read. */
  takeTurn: () => Promise<void>;
}

/** The range asked about, once what the answer shall include is there, as far as it came in time. */
export const requestedRange = async (
  query: Parameters<typeof rangeOf>[0],
  session: Session,
): Promise<RequestedRange> => {
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const takeTurn = async (): Promise<void> => {
    if (range.slices.length > WIDE) await session.takeHeavySlot();
  };
  return { range, included, takeTurn };
};

const NAME = statement(
  `select display_name from member where org_id = $1 and gen = ${GEN} and user_id = $2
     and display_name <> '${ERASED}'`,
  MEMBER.pick('display_name').shape,
);

/** The name of a person, once the directory has it. */
export const nameOf = async (session: Session, user_id: string): Promise<string | null> =>
  (await session.queryOne(NAME, session.org_id, user_id))?.display_name ?? null;
