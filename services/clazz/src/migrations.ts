import { logTimeline, type MigrationEntry, sampledLate } from '@teaching/kit';
import { textsBesideTheChain } from './audit/re-anchor.ts';
import { classes } from './db/001_classes.ts';
import { people } from './db/002_people.ts';
import { schedule } from './db/003_schedule.ts';
import { auditTrail } from './db/004_audit_trail.ts';
import { hours } from './db/005_hours.ts';
import { calendarFeeds } from './db/006_calendar_feeds.ts';
import { auditBreaks, numberedEvents } from './db/007_numbered_log.ts';
import { sumsOfAccounts } from './db/008_sums_of_accounts.ts';
import { listsInTheTrail } from './db/009_lists_in_the_trail.ts';
import { slimLedger } from './db/010_slim_ledger.ts';
import { hoursThatWereValid } from './db/011_hours_that_were_valid.ts';
import { sumsOfEveryKind } from './db/012_sums_of_every_kind.ts';
import { indexesOfReferences } from './db/013_indexes_of_references.ts';
import { guestsAndMarksThatStay } from './db/014_guests_and_marks_that_stay.ts';
import { reasonsMadePublic } from './db/015_reasons_made_public.ts';
import { indexesOfGrowth } from './db/016_indexes_of_growth.ts';
import { feedsSayWhenTheyChanged } from './db/017_feeds_say_when_they_changed.ts';
import { callsAndOptions } from './db/018_calls_and_options.ts';
import { directory } from './db/019_directory.ts';
import { topicsAndHomework } from './db/020_topics_and_homework.ts';
import { rooms } from './db/021_rooms.ts';
import { moneyOfEntries } from './db/022_money_of_entries.ts';
import { accountsOfTheEnrolled } from './db/023_accounts_of_the_enrolled.ts';
import { receipts } from './db/024_receipts.ts';
import { entriesOfRecords } from './db/025_entries_of_records.ts';
import { guardians } from './db/026_guardians.ts';
import { feedsOfChildren } from './db/027_feeds_of_children.ts';
import { shutOut } from './db/028_shut_out.ts';
import { closedClazzLog, orgsApart } from './db/029_hostile_statements.ts';
import { refusals } from './db/030_refusals.ts';
import { organizationsEnd } from './db/031_organizations_end.ts';
import { auditVerified } from './db/032_audit_verified.ts';
import { auditVerifiedFirst, auditVerifiedFirstIndex } from './db/033_audit_verified_first.ts';
import { keptClashes } from './db/034_kept_clashes.ts';
import { lateMinutes } from './db/035_late_minutes.ts';

/** In the order in which they run. A released one never changes. A new one goes to the end, a short one as an entry itself. */
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
  textsBesideTheChain,
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
  sampledLate('134_sampled_late', 'log_entry', 'log_batch', 'clazz_audit_log'),
];
