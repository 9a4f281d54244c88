import { rebuildCalls, statsCalls } from '@teaching/contracts';
import { type App, routes } from '@teaching/kit';
import { clazzStats } from './clazz/clazz-stats.ts';
import { figures } from './db/002_figures.ts';
import { marksOfStudents } from './db/003_marks_of_students.ts';
import { records } from './db/001_records.ts';
import { makeUpAndMarkingsOfClasses } from './db/004_make_up_and_markings_of_classes.ts';
import { explain } from './explain/explain.ts';
import { myLessons } from './my-lessons/my-lessons.ts';
import { orgOverview } from './org/org-overview.ts';
import { generationsFollow, numberedEvents } from './db/006_numbered_log.ts';
import { statesOfAccounts } from './db/007_states_of_accounts.ts';
import { STATISTICS } from './projector/statistics.ts';
import { beginRebuild, rebuildProgress } from './rebuild/rebuild.ts';
import { removeOld } from './rebuild/remove-old.ts';
import { teacherDetail } from './teacher-detail/teacher-detail.ts';

/** The statistics service: fed by the events of classes and courses, answers figures. */
export const app: App = {
  name: 'stats',
  routes: [
    ...routes(statsCalls, { myLessons, teacherDetail, clazz: clazzStats, orgOverview, explain }),
    ...routes(rebuildCalls, { begin: beginRebuild, progress: rebuildProgress }),
  ],
  listeners: [],
  follower: STATISTICS,
  jobs: [removeOld],
  migrations: [
    records,
    figures,
    marksOfStudents,
    makeUpAndMarkingsOfClasses,
    generationsFollow,
    numberedEvents,
    statesOfAccounts,
  ],
};
