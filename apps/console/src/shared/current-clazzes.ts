import type { ShownClazz } from '@teaching/contracts';
import { api } from './api.ts';
import { common } from './common-texts.ts';
import { useQuery } from './query.ts';
import { readAllRows } from './row-query.ts';
import { isSubstitute } from './substitute.rules.ts';

const CURRENT = { status: 'draft,active', sort: 'created_at' } as const;

/** All current classes by id, the oldest first. */
export const useCurrentClazzes = () =>
  useQuery(
    'current classes',
    async (signal): Promise<ReadonlyMap<string, ShownClazz>> => {
      const rows = await readAllRows((page) => api.listClazzes({ query: { ...CURRENT, ...page } }, { signal }));
      return new Map(rows.map((row) => [row.id, row]));
    },
    { kinds: ['clazz', 'member'] },
  );

/** The name of the lead teacher if another teacher gives the lesson as a substitute. */
export const substituteFor = (
  lesson: { clazz_id: string; teacher_id: string },
  clazzes: ReadonlyMap<string, ShownClazz> | undefined,
): string | undefined => {
  const clazz = clazzes?.get(lesson.clazz_id);
  return clazz !== undefined && isSubstitute(lesson, clazz) ? (clazz.lead_teacher_name ?? common.notListed) : undefined;
};
