import { isProblem, isTransient } from '@teaching/client/browser';
import { useEffect } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { orgZone } from '../shared/format.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { useQuery } from '../shared/query.ts';
import { localOf, mondayOf } from '../shared/zone.rules.ts';
import { LessonSheet } from './lesson-sheet.tsx';
import type { LessonContext } from './lesson-context.state.ts';
import { t } from './timetable-texts.ts';
import { type Lesson, NO_FILTERS, type View } from './timetable.state.ts';

/**
 * The lesson that the address names. A link may contain no date or another week, and filters may hide the lesson: the
 * timetable then goes to the lesson's day, without filters if they hide it there.
 */
export const OpenedLesson = ({
  id,
  lessons,
  context,
  view,
}: {
  id: string;
  /** The lessons of the shown week; undefined while they are loading. */
  lessons: readonly Lesson[] | undefined;
  context: LessonContext | undefined;
  view: View;
}) => {
  const shown = lessons?.find((lesson) => lesson.id === id);
  const isElsewhere = lessons !== undefined && shown === undefined;
  const found = useQuery(
    isElsewhere ? `lesson ${id}` : null,
    async (abort) => (await api.getLesson({ path: { lesson_id: id } }, { signal: abort })).data,
    { kinds: ['lesson'] },
  );
  const lesson = found.data.value;
  const error = found.error.value;
  useEffect(() => {
    if (lesson === undefined) return;
    const { date } = localOf(lesson.starts_at, orgZone());
    view.put({ date, ...(mondayOf(date) === view.monday ? NO_FILTERS : {}) });
  }, [lesson]);
  useEffect(() => {
    // A temporary failure is repeated.
    if (error === undefined || isTransient(error)) return;
    const isMissing = isProblem(error, 'not_found') || isProblem(error, 'invalid_request');
    toast(isMissing ? t.noSuchLesson : remedyOf(error));
    // After another failure the address still names the lesson, so that a new log-in or reload opens it.
    if (isMissing) view.put({ lesson: null });
  }, [error]);
  return shown === undefined ? null : (
    <LessonSheet
      lesson={shown}
      substituteFor={context?.substituteFor(shown)}
      conflicts={context?.conflictsOf(shown) ?? []}
      onClose={() => view.put({ lesson: null })}
    />
  );
};
