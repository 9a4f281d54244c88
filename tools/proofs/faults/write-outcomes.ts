import type { Answer } from '../system/plain-api.ts';
import type { System } from '../system/start-system.ts';
import type { Kinds } from './traffic.ts';

/** Writes of `kindsOf`, each told apart from all others, and what their callers were told. */
export interface WriteOutcomes {
  noting: (kinds: Kinds) => Kinds;
  /** Where what is stored is not as was told: 2xx is stored once, 503 is not, of anything else it may be either. */
  untrue: (system: System) => Promise<string[]>;
}

/** What the writes of an organization left, by what each was about. */
const WRITTEN = `
  select student_id as about, count(*)::int as times from clazz.hour_lot where org_id = $1 group by 1
  union all select title, count(*)::int from course.course where org_id = $1 group by 1`;

const isTrue = (status: number, times: number): boolean => {
  if (status >= 200 && status < 300) return times === 1;
  return status === 503 ? times === 0 : times <= 1;
};

export const createWriteOutcomes = (org: string): WriteOutcomes => {
  const told = new Map<string, number>();
  let count = 0;
  const noted =
    (name: string, ask: (n: number) => Promise<Answer>): (() => Promise<Answer>) =>
    async () => {
      count += 1;
      const about = name.endsWith('write course') ? `Course ${count}` : `s${count}`;
      const answer = await ask(count);
      if (name.startsWith('write')) told.set(about, answer.status);
      return answer;
    };
  return {
    noting: (kinds) => Object.fromEntries(Object.entries(kinds).map(([name, ask]) => [name, noted(name, ask)])),
    untrue: async ({ postgres }) => {
      const rows = await postgres.sql<{ about: string; times: number }>(WRITTEN, [org]);
      const written = new Map(rows.map(({ about, times }) => [about, times]));
      return [...told]
        .filter(([about, status]) => !isTrue(status, written.get(about) ?? 0))
        .map(([about, status]) => `${about}: told ${status}, stored ${written.get(about) ?? 0} times`);
    },
  };
};
