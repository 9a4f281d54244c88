import type { Concern } from '../concern.rules.ts';
import { api } from '../api.ts';
import { useQuery } from '../query.ts';
import { useRows } from '../row-query.ts';

const hourChanges = (student_id: string): Concern => ({
  kinds: ['account', 'roll_call', 'lesson'],
  isAbout: ({ kind, user_ids }) => kind !== 'account' || user_ids.length === 0 || user_ids.includes(student_id),
});

/** The hour entries of a student, newest first, in pages of `limit` rows. */
export const useEntries = (student_id: string, limit = '30') =>
  useRows(
    `entries ${student_id} ${limit}`,
    (cursor, signal) => api.listStudentHourEntries({ path: { student_id }, query: { limit, cursor } }, { signal }),
    hourChanges(student_id),
  );

/** The hour account of a student. */
export const useAccount = (student_id: string) =>
  useQuery(
    `account ${student_id}`,
    async (signal) => (await api.getHourAccount({ path: { student_id } }, { signal })).data,
    hourChanges(student_id),
  );
