import { appendOnlyLog, restrictLog, logTimeline, type MigrationEntry, analyzeLate } from '@teaching/kit';
import { records } from './001_records.ts';
import { figures } from './002_figures.ts';
import { makeUpAndMarkingsOfClasses, marksOfStudents } from './003_marks_and_make_up.ts';
import {
  generationsFollow,
  hoursOfOrganizations,
  numberedEvents,
  orgChange,
  statesOfAccounts,
} from './100_release_0_2_0.ts';

/** Migrations in the order in which they run. A released migration never changes. */
export const migrations: readonly MigrationEntry[] = [
  records,
  figures,
  marksOfStudents,
  makeUpAndMarkingsOfClasses,
  generationsFollow,
  numberedEvents,
  statesOfAccounts,
  hoursOfOrganizations,
  restrictLog('103_closed_log', 'stats', ['domain']),
  logTimeline('104_log_timeline'),
  orgChange,
  analyzeLate('106_sampled_late', 'log_entry', 'log_batch'),
  appendOnlyLog('107_append_only_log', 'stats'),
];
