import { api } from '../shared/api.ts';
import type { Concern } from '../shared/concern.rules.ts';
import { useQuery } from '../shared/query.ts';
import { useRows } from '../shared/row-query.ts';
import type { Child } from './child.rules.ts';

const HOUR_CHANGES: Concern = { kinds: ['account', 'roll_call', 'lesson'] };
const PAGE_SIZE = '30';

export const useEntries = ({ id: student_id }: Child) =>
  useRows(
    `entries ${student_id}`,
    (cursor, signal) =>
      api.listStudentHourEntries({ path: { student_id }, query: { limit: PAGE_SIZE, cursor } }, { signal }),
    HOUR_CHANGES,
  );

export const useAccount = ({ id: student_id }: Child) =>
  useQuery(
    `account ${student_id}`,
    async (signal) => (await api.getHourAccount({ path: { student_id } }, { signal })).data,
    HOUR_CHANGES,
  );
