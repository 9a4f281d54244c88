import { appendOnlyLog, logTimeline, type MigrationEntry, numberedLog, analyzeLate } from '@teaching/kit';
import { courses } from './001_courses.ts';
import { lianxi } from './002_lianxi.ts';
import { jihua } from './003_jihua.ts';
import {
  closedCourseLog,
  closingAndAttempts,
  directoryFollowed,
  indexesOfGrowth,
  peopleWhoWereErased,
  releaseAndKey,
  struckInOwnOrg,
  studentSince,
} from './004_release_0_2_0.ts';

/** Migrations in the order in which they run. A released migration never changes. */
export const migrations: readonly MigrationEntry[] = [
  courses,
  lianxi,
  jihua,
  numberedLog('course'),
  releaseAndKey,
  studentSince,
  peopleWhoWereErased,
  indexesOfGrowth,
  directoryFollowed,
  closingAndAttempts,
  closedCourseLog,
  struckInOwnOrg,
  logTimeline('109_log_timeline'),
  analyzeLate('110_sampled_late', 'log_entry', 'log_batch'),
  appendOnlyLog('111_append_only_log', 'course'),
];
