import { type Session, statement } from '@teaching/kit';
import { ERASED, CURRENT_GEN } from '../figures/sql-fragments.ts';
import { rangeOf, type StatsRange } from '../range/range.rules.ts';
import { MEMBER } from '../records/member.ts';

/** A request with more slices is heavy. Two months have at most 62 days. */
const MAX_LIGHT_SLICES = 62;

export const STUDENT_REFUSAL = 'Students can read only their own statistics';
export const TEACHER_REFUSAL = 'Teachers can read only their own statistics';

/** The student of the request, by default the caller. Students can request only themselves (403), staff any student. */
export const requestedStudent = ({ caller, access }: Session, student_id: string | undefined): string =>
  access.requestedPerson(student_id, STUDENT_REFUSAL) ?? caller.user_id;

/**
 * The teacher of the request, by default the caller. Teachers can request only themselves (403), supervisors any
 * teacher.
 */
export const requestedTeacher = ({ caller, access }: Session, teacher_id: string | undefined): string =>
  access.requestedPerson(teacher_id, TEACHER_REFUSAL) ?? caller.user_id;

export interface RequestedRange {
  range: StatsRange;
  /** Whether the figures include the write of the request's consistency token. */
  included: boolean;
  /** Waits for a heavy slot if the range is wide. The caller awaits it before it reads rows. */
  acquireHeavySlot: () => Promise<void>;
}

/**
 * The requested range. First waits, for a bounded time, until the statistics include the write of the request's
 * consistency token.
 */
export const requestedRange = async (
  query: Parameters<typeof rangeOf>[0],
  session: Session,
): Promise<RequestedRange> => {
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const acquireHeavySlot = async (): Promise<void> => {
    if (range.slices.length > MAX_LIGHT_SLICES) await session.takeHeavySlot();
  };
  return { range, included, acquireHeavySlot };
};

const NAME = statement(
  `select display_name from member where org_id = $1 and gen = ${CURRENT_GEN} and user_id = $2
     and display_name <> '${ERASED}'`,
  MEMBER.pick('display_name').shape,
);

/** The name of a person. Null if the directory does not contain the person, or the person was erased. */
export const readPersonName = async (session: Session, user_id: string): Promise<string | null> =>
  (await session.queryOne(NAME, session.org_id, user_id))?.display_name ?? null;
