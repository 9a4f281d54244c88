import { rebuildCalls, statsCalls } from '@teaching/contracts';
import { type App, closedLog, logTimeline, routes, sampledLate } from '@teaching/kit';
import { getClazzStats } from './answers/get-clazz-stats.ts';
import { explainFigure } from './answers/explain-figure.ts';
import { getMyLessonStats } from './answers/get-my-lesson-stats.ts';
import { getOrganizationStats } from './answers/get-organization-stats.ts';
import { getTeacherStats } from './answers/get-teacher-stats.ts';
import { records } from './db/001_records.ts';
import { figures } from './db/002_figures.ts';
import { marksOfStudents } from './db/003_marks_of_students.ts';
import { makeUpAndMarkingsOfClasses } from './db/004_make_up_and_markings_of_classes.ts';
import { generationsFollow, numberedEvents } from './db/006_numbered_log.ts';
import { statesOfAccounts } from './db/007_states_of_accounts.ts';
import { hoursOfOrganizations } from './db/008_hours_of_organizations.ts';
import { orgChange } from './db/009_org_change.ts';
import { beginRebuild, rebuildProgress } from './generations/rebuild.ts';
import { removeOld } from './generations/remove-old.ts';
import { STATISTICS } from './generations/statistics.ts';

/** The statistics service: fed by the events of classes and courses, answers figures. */
export const app: App = {
  name: 'stats',
  routes: [
    ...routes(statsCalls, { getMyLessonStats, getTeacherStats, getClazzStats, getOrganizationStats, explainFigure }),
    ...routes(rebuildCalls, { begin: beginRebuild, progress: rebuildProgress }),
  ],
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
    hoursOfOrganizations,
    closedLog('103_closed_log', 'stats', ['domain']),
    logTimeline('104_log_timeline'),
    orgChange,
    sampledLate('106_sampled_late', 'log_entry', 'log_batch'),
  ],
  snapshots: true,
};
