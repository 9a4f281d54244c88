import { logTimeline, type MigrationEntry, analyzeLate } from '@teaching/kit';
import { moveTextsBesideChain } from '../audit/reanchor-chain.ts';
import { classes } from './001_classes.ts';
import { people } from './002_people.ts';
import { schedule } from './003_schedule.ts';
import { auditTrail } from './004_audit_trail.ts';
import { hours } from './005_hours.ts';
import { calendarFeeds } from './006_calendar_feeds.ts';
import { auditBreaks, numberedEvents } from './007_numbered_log.ts';
import { sumsOfAccounts } from './008_sums_of_accounts.ts';
import { listsInTheTrail } from './009_lists_in_the_trail.ts';
import { slimLedger } from './010_slim_ledger.ts';
import { hoursThatWereValid } from './011_hours_that_were_valid.ts';
import { sumsOfEveryKind } from './012_sums_of_every_kind.ts';
import { indexesOfReferences } from './013_indexes_of_references.ts';
import { guestsAndMarksThatStay } from './014_guests_and_marks_that_stay.ts';
import { reasonsMadePublic } from './015_reasons_made_public.ts';
import { indexesOfGrowth } from './016_indexes_of_growth.ts';
import { feedsSayWhenTheyChanged } from './017_feeds_say_when_they_changed.ts';
import { callsAndOptions } from './018_calls_and_options.ts';
import { directory } from './019_directory.ts';
import { topicsAndHomework } from './020_topics_and_homework.ts';
import { rooms } from './021_rooms.ts';
import { moneyOfEntries } from './022_money_of_entries.ts';
import { accountsOfTheEnrolled } from './023_accounts_of_the_enrolled.ts';
import { receipts } from './024_receipts.ts';
import { entriesOfRecords } from './025_entries_of_records.ts';
import { guardians } from './026_guardians.ts';
import { feedsOfChildren } from './027_feeds_of_children.ts';
import { shutOut } from './028_shut_out.ts';
import { closedClazzLog, orgsApart } from './029_hostile_statements.ts';
import { refusals } from './030_refusals.ts';
import { organizationsEnd } from './031_organizations_end.ts';
import { auditVerified } from './032_audit_verified.ts';
import { auditVerifiedFirst, auditVerifiedFirstIndex } from './033_audit_verified_first.ts';
import { keptClashes } from './034_kept_clashes.ts';
import { lateMinutes } from './035_late_minutes.ts';
import { earlierEndedMemberships, endedMembershipsAndBookings } from './036_ended_memberships_and_bookings.ts';
import { waitingStudents } from './037_waiting_students.ts';
import { nominalTimes } from './038_nominal_times.ts';
import { decisionReasons } from './039_decision_reasons.ts';
import { bookedLessons, endedBookingsIndex } from './040_booked_lessons.ts';
import { undoneGrants, undoneGrantsChecked } from './041_undone_grants.ts';
import { appendOnlyChains, appendOnlyEvents } from './042_append_only_log.ts';

/** All migrations of the class service, in the order in which they run. */
export const migrations: readonly MigrationEntry[] = [
  classes,
  people,
  schedule,
  auditTrail,
  hours,
  calendarFeeds,
  numberedEvents,
  auditBreaks,
  sumsOfAccounts,
  listsInTheTrail,
  slimLedger,
  hoursThatWereValid,
  sumsOfEveryKind,
  indexesOfReferences,
  guestsAndMarksThatStay,
  moveTextsBesideChain,
  reasonsMadePublic,
  indexesOfGrowth,
  feedsSayWhenTheyChanged,
  callsAndOptions,
  directory,
  topicsAndHomework,
  rooms,
  moneyOfEntries,
  accountsOfTheEnrolled,
  receipts,
  entriesOfRecords,
  guardians,
  feedsOfChildren,
  shutOut,
  closedClazzLog,
  orgsApart,
  refusals,
  organizationsEnd,
  logTimeline('128_log_timeline'),
  auditVerified,
  auditVerifiedFirst,
  auditVerifiedFirstIndex,
  keptClashes,
  lateMinutes,
  analyzeLate('134_sampled_late', 'log_entry', 'log_batch', 'clazz_audit_log'),
  endedMembershipsAndBookings,
  waitingStudents,
  nominalTimes,
  earlierEndedMemberships,
  decisionReasons,
  bookedLessons,
  endedBookingsIndex,
  undoneGrants,
  undoneGrantsChecked,
  appendOnlyEvents,
  appendOnlyChains,
];
