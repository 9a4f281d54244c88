import type { Connection } from './connection.ts';
import { untilIncluded } from './included.ts';
import type { Script } from './script.ts';
import type { LessonSeed } from './work.ts';

const markOf = (n: number): string => (n % 10 === 9 ? 'absent' : n % 15 === 7 ? 'late' : 'present');

/** A write, and who may ask whether statistics contain it. */
interface Written {
  token: string;
  written: string;
}

/** Takes the roll call of a whole class; every time at another lesson. */
const taking = (seed: readonly LessonSeed[]) => {
  const lessons = [...seed];
  let used = 0;
  return {
    take: async (connection: Connection): Promise<Written> => {
      const lesson = lessons[used++];
      if (lesson === undefined) throw new Error('No lesson is left to take the roll call of');
      const { token, id, students } = lesson;
      const body = { marks: students.map((student_id, n) => ({ student_id, mark: markOf(n) })) };
      const path = `/api/v1/clazz/lesson/${id}/roll-call`;
      const { written } = await connection.send({ method: 'PUT', path, token, body });
      return { token, written };
    },
    feed: (more: readonly LessonSeed[]): void => void lessons.push(...more),
    left: () => lessons.length - used,
  };
};

/** Until the statistics contain the roll call. */
export const rollCall = (seed: readonly LessonSeed[]): Script => {
  const { take, feed, left } = taking(seed);
  return {
    step: async (connection, note) => {
      const since = performance.now();
      const { token, written } = await take(connection);
      note('write', performance.now() - since);
      await untilIncluded(connection, token, written);
    },
    feed,
    left,
  };
};

/** Roll calls that nobody follows, until somebody asks for the last. */
export const backlog = (seed: readonly LessonSeed[]): Script => {
  const { take, feed, left } = taking(seed);
  let last: Written | undefined;
  return {
    step: async (connection) => {
      last = await take(connection);
    },
    follow: async (connection) => {
      if (last === undefined) throw new Error('Nothing was written yet');
      await untilIncluded(connection, last.token, last.written);
    },
    feed,
    left,
  };
};
