import type { Conflict } from '@teaching/contracts';
import { useMemo } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { substituteFor, useCurrentClazzes } from '../shared/current-clazzes.ts';
import { useQuery } from '../shared/query.ts';
import { readAllRows } from '../shared/row-query.ts';
import { type Colour, colourOf, coloursOf } from './colours.rules.ts';
import type { ConflictsByLesson } from './lesson.rules.ts';
import type { Lesson } from './timetable.state.ts';

/** Facts that lessons show beside their own data. */
export interface LessonContext {
  /** The colour of a class or teacher. */
  colourOf: (id: string) => Colour;
  /** The name of the lead teacher if another teacher gives the lesson as a substitute. */
  substituteFor: (lesson: Lesson) => string | undefined;
  /** The accepted conflicts of a lesson of the shown week. */
  conflictsOf: (lesson: Lesson) => readonly Conflict[];
}

const ACTIVE_TEACHERS = { role: 'TEACHER', status: 'active', sort: 'created_at' } as const;

/**
 * The colours of all current classes or active teachers, so that a filter changes none, and their substitutes. Undefined
 * until they are known; what cannot be read is not shown, and each id then has the colour of its own.
 */
export const useLessonContext = (
  by: 'class' | 'teacher',
  conflicts: ConflictsByLesson | undefined,
): LessonContext | undefined => {
  const clazzes = useCurrentClazzes();
  const byId = clazzes.data.value;
  const clazzColours = useMemo(() => byId && coloursOf([...byId.keys()]), [byId]);
  const teachers = useQuery(
    by === 'teacher' ? 'active teachers' : null,
    async (signal) => {
      const rows = await readAllRows((page) => api.listMembers({ query: { ...ACTIVE_TEACHERS, ...page } }, { signal }));
      return coloursOf(rows.map(({ user_id }) => user_id));
    },
    { kinds: ['member'] },
  );
  const needed = by === 'class' ? [clazzes] : [clazzes, teachers];
  if (needed.some(({ data, error }) => data.value === undefined && error.value === undefined)) return undefined;
  const colours = (by === 'class' ? clazzColours : teachers.data.value) ?? new Map<string, Colour>();
  return {
    colourOf: (id) => colourOf(colours, id),
    conflictsOf: ({ id }) => conflicts?.get(id) ?? [],
    substituteFor: (lesson) => substituteFor(lesson, byId),
  };
};
