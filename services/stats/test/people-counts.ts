import { statsCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { expect } from 'vitest';
import type { Clock } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { TEACHERS } from './play-history.ts';
import { SEATS } from './recomputed-figures.ts';

type CountByPart = Record<string, number>;
const byPart = (rows: readonly { part: string; students: number }[]): CountByPart =>
  Object.fromEntries(rows.filter(({ students }) => students > 0).map(({ part, students }) => [part, students]));

/**
 * The number of distinct people at a teacher's lessons: in total, in each class and in each slice. It is counted by
 * seats in the tables of the source services.
 */
const recounted = async (
  fixture: Fixture,
  org: string,
  teacher: string,
  bounds: readonly string[],
): Promise<CountByPart> =>
  byPart(
    await fixture.sql<{ part: string; students: number }>(
      `${SEATS} select coalesce(clazz_id::text, slice::text, 'total') as part, count(distinct student_id)::int as students
       from (
         select student_id, l.clazz_id, width_bucket(l.starts_at, $3::timestamptz[]) as slice
         from counted join clazz.lesson as l on l.org_id = $1 and l.id = lesson_id
         where l.teacher_id = $2
       ) as seat
       where slice between 1 and cardinality($3::timestamptz[]) - 1
       group by grouping sets ((), (clazz_id), (slice))`,
      [org, teacher, bounds],
    ),
  );

/** Ranges that begin and end in the middle of lessons and memberships, by days of other zones. */
const RANGES = [
  { days: [-6, 2], unit: 'day', zone: 'Asia/Shanghai' },
  { days: [-9, 4], unit: 'week', zone: 'America/New_York' },
] as const;

/** Expects that the statistics count the same people for each teacher as the seats of a history. */
export const expectPeopleCounts = async (fixture: Fixture, org: string, clock: Clock): Promise<void> => {
  const supervisor = fixture.as({ role: 'SUPERVISOR', org });
  const dayAfter = (days: number): string => clock.after(days * 24 * HOUR_MS).slice(0, 10);
  for (const teacher_id of TEACHERS) {
    for (const { days, unit, zone } of RANGES) {
      const query = { teacher_id, from: dayAfter(days[0]), to: dayAfter(days[1]), unit, zone };
      const { totals, clazzes, series } = await supervisor.ok(statsCalls.getTeacherStats, { query });
      const bounds = [...series.map(({ starts_at }) => starts_at), series.at(-1)?.ends_at ?? ''];
      const answered = byPart([
        { part: 'total', students: totals.students },
        ...clazzes.map(({ clazz_id, students }) => ({ part: clazz_id, students })),
        ...series.map(({ students }, index) => ({ part: String(index + 1), students })),
      ]);
      expect({ ...query, ...answered }).toEqual({
        ...query,
        ...(await recounted(fixture, org, teacher_id, bounds)),
      });
    }
  }
};
