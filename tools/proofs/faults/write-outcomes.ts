import type { Answer } from '../system/plain-api.ts';
import type { System } from '../system/start-system.ts';
import type { RequestKinds } from './traffic.ts';

/** Records the answers to the writes of `kindsOf`. Each write gets a subject of its own, so it can be found again. */
export interface WriteOutcomes {
  recording: (kinds: RequestKinds) => RequestKinds;
  /** Writes whose stored rows contradict the answer: 2xx means stored once, 503 not stored, other answers either. */
  contradictions: (system: System) => Promise<string[]>;
}

/** The rows that writes of an organization left, by subject. */
const WRITTEN = `
  select student_id as about, count(*)::int as times from clazz.hour_lot where org_id = $1 group by 1
  union all select title, count(*)::int from course.course where org_id = $1 group by 1`;

const isConsistent = (status: number, times: number): boolean => {
  if (status >= 200 && status < 300) return times === 1;
  return status === 503 ? times === 0 : times <= 1;
};

export const createWriteOutcomes = (org: string): WriteOutcomes => {
  const answers = new Map<string, number>();
  let count = 0;
  const recorded =
    (name: string, ask: (n: number) => Promise<Answer>): (() => Promise<Answer>) =>
    async () => {
      count += 1;
      const about = name.endsWith('write course') ? `Course ${count}` : `s${count}`;
      const answer = await ask(count);
      if (name.startsWith('write')) answers.set(about, answer.status);
      return answer;
    };
  return {
    recording: (kinds) => Object.fromEntries(Object.entries(kinds).map(([name, ask]) => [name, recorded(name, ask)])),
    contradictions: async ({ postgres }) => {
      const rows = await postgres.sql<{ about: string; times: number }>(WRITTEN, [org]);
      const written = new Map(rows.map(({ about, times }) => [about, times]));
      return [...answers]
        .filter(([about, status]) => !isConsistent(status, written.get(about) ?? 0))
        .map(([about, status]) => `${about}: answered ${status}, stored ${written.get(about) ?? 0} times`);
    },
  };
};
