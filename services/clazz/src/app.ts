import {
  accessCalls,
  auditCalls,
  calendarCalls,
  clazzCalls,
  clazzReferenceCalls,
  closureCalls,
  enrolmentCalls,
  holidayCalls,
  hourCalls,
  leaveCalls,
  ledgerCalls,
  lessonCalls,
  meCalls,
  memberCalls,
  policyCalls,
  refusalCalls,
  relationCalls,
  rollCallCalls,
  roomCalls,
  seriesCalls,
  substitutionCalls,
} from '@teaching/contracts';
import { type App, logTimeline, routes, sampledLate } from '@teaching/kit';
import { bookMakeUp, undoMakeUp } from './attendance/book-make-up.ts';
import { approveLeave, cancelLeave, rejectLeave } from './attendance/decide-leave.ts';
import { listMakeUpOptions } from './attendance/list-make-up-options.ts';
import { listMissingRollCalls } from './attendance/list-missing-roll-calls.ts';
import { quoteLeave } from './attendance/quote-leave.ts';
import { getLeave, listLeaves } from './attendance/read-leaves.ts';
import { getRollCall, listRollCallRevisions } from './attendance/read-roll-call.ts';
import { requestLeave } from './attendance/request-leave.ts';
import { submitRollCall } from './attendance/submit-roll-call.ts';
import { AUDIT_TRAIL } from './audit/audit-trail.ts';
import { listAuditEntries } from './audit/list-audit-entries.ts';
import { listClazzAuditEntries } from './audit/list-clazz-audit-entries.ts';
import { textsBesideTheChain } from './audit/re-anchor.ts';
import { getAuditLogHead, verifyAuditLog } from './audit/verify-audit-log.ts';
import { measureTrails, verifyTrails } from './audit/verify-trails.ts';
import { completeClazz, previewClazzCompletion } from './clazz/complete-clazz.ts';
import { activateClazz, createClazz } from './clazz/create-clazz.ts';
import { deleteClazz } from './clazz/delete-clazz.ts';
import { cancelClazz } from './clazz/end-clazz.ts';
import { getClazz, listClazzes } from './clazz/read-clazzes.ts';
import { reopenClazz } from './clazz/reopen-clazz.ts';
import { putClazzAssistants, updateClazz } from './clazz/update-clazz.ts';
import { createClosure } from './closure/create-closure.ts';
import { putHolidays } from './closure/put-holidays.ts';
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
import { audience } from './directory/audience.ts';
import { activateMember, deactivateMember } from './directory/deactivate-member.ts';
import { deleteMember, eraseMember } from './directory/erase-member.ts';
import { CHILDREN, getChildren, listGuardians, putGuardians } from './directory/guardians.ts';
import { listShutOut } from './directory/list-shut-out.ts';
import { putMembers } from './directory/put-members.ts';
import { getMe, getMember, listMembers } from './directory/read-members.ts';
import { forgetSignOuts, signOutMember } from './directory/revoke-tokens.ts';
import { updateMember } from './directory/save-member.ts';
import { adjustHours } from './hours/adjust-hours.ts';
import { expireHours } from './hours/expire-hours.ts';
import { getHourAccount } from './hours/get-hour-account.ts';
import { getHourSummary } from './hours/get-hour-summary.ts';
import { grantHours, grantHoursInBulk } from './hours/grant-hours.ts';
import { listHourAccounts } from './hours/list-hour-accounts.ts';
import { listHourEntries, listStudentHourEntries } from './hours/list-hour-entries.ts';
import { getReceipt } from './hours/receipts.ts';
import { quoteRefund, refundHours } from './hours/refund-hours.ts';
import { transferHours } from './hours/transfer-hours.ts';
import { resumeEnrolment, suspendEnrolment, withdrawEnrolment } from './people/change-enrolment.ts';
import { enrol } from './people/enrol-students.ts';
import { listMyStudents, listMyTeachers } from './people/list-relations.ts';
import { promoting } from './people/promote-waiting.ts';
import { listEnrolments } from './people/read-enrolments.ts';
import { transferEnrolment } from './people/transfer-enrolment.ts';
import { getPolicy, policyCurrency, putPolicy } from './policy/policy.ts';
import { checkReferences, countReferences, getRoster, getStudents } from './reference/reference-calls.ts';
import { keepRefusals, listRefusals, removeOldRefusals } from './refusal/refusals.ts';
import { createRoom, deleteRoom, getRoom, listFreeRooms, listRooms, updateRoom } from './room/rooms.ts';
import { createCalendarFeed, deleteCalendarFeed, getCalendarFeed } from './schedule/calendar-feed.ts';
import { cancelLesson, restoreLesson } from './schedule/cancel-lesson.ts';
import { checkLesson } from './schedule/check-lesson.ts';
import { createLessonSeries, previewLessonSeries } from './schedule/create-lesson-series.ts';
import { createLesson } from './schedule/create-lesson.ts';
import { listHolidays } from './schedule/holidays.ts';
import { listLessons } from './schedule/list-all-lessons.ts';
import { listLessonClashes } from './schedule/list-lesson-clashes.ts';
import { getLesson, listClazzLessons, listMyLessons } from './schedule/read-lessons.ts';
import { listSubstituteOptions, substituteTeacher } from './schedule/substitute-teacher.ts';
import { updateLesson } from './schedule/update-lesson.ts';

/** The class service: classes, people, schedule, and their audit trail. */
export const app: App = {
  name: 'clazz',
  routes: [
    ...routes(refusalCalls, { keep: keepRefusals, listRefusals }),
    ...promoting([
      ...routes(clazzCalls, {
        createClazz,
        listClazzes,
        getClazz,
        updateClazz,
        deleteClazz,
        activateClazz,
        cancelClazz,
        previewClazzCompletion,
        completeClazz,
        reopenClazz,
        putClazzAssistants,
      }),
      ...routes(enrolmentCalls, {
        enrolStudents: enrol,
        listEnrolments,
        suspendEnrolment,
        resumeEnrolment,
        withdrawEnrolment,
        transferEnrolment,
      }),
      ...routes(relationCalls, { listMyStudents, listMyTeachers }),
      ...routes(lessonCalls, {
        createLesson,
        listClazzLessons,
        listLessons,
        listLessonClashes,
        listMyLessons,
        getLesson,
        checkLesson,
        cancelLesson,
        restoreLesson,
      }),
      ...routes(substitutionCalls, { listSubstituteOptions, substituteTeacher }),
      ...routes(closureCalls, { createClosure }),
      ...routes(auditCalls, { listClazzAuditEntries, listAuditEntries, verifyAuditLog, getAuditLogHead }),
      ...routes(clazzReferenceCalls, { checkReferences, countReferences, getRoster, getStudents, getChildren }),
      ...routes(memberCalls, {
        putMembers,
        listMembers,
        getMember,
        updateMember,
        deleteMember,
        deactivateMember,
        activateMember,
        signOutMember,
        putGuardians,
        listGuardians,
        eraseMember,
      }),
      ...routes(meCalls, { getMe }),
      ...routes(accessCalls, { listShutOut, audience }),
      ...routes(roomCalls, {
        createRoom,
        listRooms,
        listFreeRooms,
        getRoom,
        updateRoom,
        deleteRoom,
      }),
      ...routes(policyCalls, { getPolicy, putPolicy, currency: policyCurrency }),
      ...routes(rollCallCalls, {
        getRollCall,
        submitRollCall,
        listRollCallRevisions,
        listMissingRollCalls,
      }),
      ...routes(leaveCalls, {
        requestLeave,
        quoteLeave,
        listLeaves,
        getLeave,
        approveLeave,
        rejectLeave,
        cancelLeave,
        bookMakeUp,
        listMakeUpOptions,
        undoMakeUp,
      }),
      ...routes(hourCalls, {
        grantHours,
        grantHoursInBulk,
        getHourAccount,
        listStudentHourEntries,
        transferHours,
        adjustHours,
        quoteRefund,
        refundHours,
      }),
      ...routes(ledgerCalls, {
        listHourAccounts,
        listHourEntries,
        getHourSummary,
        getReceipt,
      }),
      ...routes(seriesCalls, { previewLessonSeries, createLessonSeries, updateLesson }),
      ...routes(calendarCalls, { createCalendarFeed, deleteCalendarFeed, getCalendarFeed }),
      ...routes(holidayCalls, { putHolidays, listHolidays }),
    ]),
  ],
  follower: AUDIT_TRAIL,
  children: CHILDREN,
  jobs: [expireHours, forgetSignOuts, removeOldRefusals, verifyTrails],
  measures: [measureTrails],
  migrations: [
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
  ],
};
