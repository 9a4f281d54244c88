import { lessonCalls, seriesCalls, substitutionCalls, calendarCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { createCalendarFeed, deleteCalendarFeed, getCalendarFeed, getCalendarFeedState } from './calendar-feed.ts';
import { cancelLesson, restoreLesson } from './cancel-lesson.ts';
import { checkLesson } from './check-lesson.ts';
import { createLessonSeries, previewLessonSeries } from './create-lesson-series.ts';
import { createLesson } from './create-lesson.ts';
import { deleteLesson } from './delete-lesson.ts';
import { listLessons } from './list-lessons.ts';
import { listLessonClashes } from './list-lesson-clashes.ts';
import { getLesson, listClazzLessons, listMyLessons } from './read-lessons.ts';
import { listSubstituteOptions, substituteTeacher } from './substitute-teacher.ts';
import { updateLesson } from './update-lesson.ts';

/** Lessons, series, substitutes and calendars. */
export const scheduleModule: Module = {
  routes: [
    ...routes(lessonCalls, {
      createLesson,
      listClazzLessons,
      listLessons,
      listLessonClashes,
      listMyLessons,
      getLesson,
      checkLesson,
      cancelLesson,
      deleteLesson,
      restoreLesson,
    }),
    ...routes(seriesCalls, { previewLessonSeries, createLessonSeries, updateLesson }),
    ...routes(substitutionCalls, { listSubstituteOptions, substituteTeacher }),
    ...routes(calendarCalls, { createCalendarFeed, deleteCalendarFeed, getCalendarFeed, getCalendarFeedState }),
  ],
};
