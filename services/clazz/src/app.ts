import {
  accessCalls,
  auditCalls,
  calendarCalls,
  clazzCalls,
  meCalls,
  memberCalls,
  clazzReferenceCalls,
  closureCalls,
  enrolmentCalls,
  hourCalls,
  leaveCalls,
  ledgerCalls,
  lessonCalls,
  policyCalls,
  roomCalls,
  relationCalls,
  rollCallCalls,
  holidayCalls,
  refusalCalls,
  seriesCalls,
  substitutionCalls,
} from '@teaching/contracts';
import { type App, routes } from '@teaching/kit';
import { AUDIT_TRAIL } from './audit/audit-trail.ts';
import { listClazzAuditEntries } from './audit/list-clazz-audit-entries.ts';
import { listAuditEntries } from './audit/org-trail.ts';
import { getAuditLogHead } from './audit/get-audit-log-head.ts';
import { verifyAuditLog } from './audit/verify-audit-log.ts';
import { measureTrails, verifyTrails } from './audit/verify-trails.ts';
import { createCalendarFeed, deleteCalendarFeed } from './schedule/manage-feed.ts';
import { getCalendarFeed } from './schedule/get-calendar-feed.ts';
import { createClosure } from './closure/create-closure.ts';
import { putHolidays } from './closure/put-holidays.ts';
import { activateClazz } from './clazz/activate-clazz.ts';
import { cancelClazz } from './clazz/cancel-clazz.ts';
import { completeClazz } from './clazz/complete-clazz.ts';
import { previewClazzCompletion } from './clazz/preview-clazz-completion.ts';
import { createClazz } from './clazz/create-clazz.ts';
import { getClazz } from './clazz/get-clazz.ts';
import { listClazzes } from './clazz/list-clazzes.ts';
import { deleteClazz } from './clazz/delete-clazz.ts';
import { reopenClazz } from './clazz/reopen-clazz.ts';
import { updateClazz } from './clazz/update-clazz.ts';
import { resumeEnrolment, suspendEnrolment, withdrawEnrolment } from './people/change-enrolment.ts';
import { enrol } from './people/enrol.ts';
import { audience } from './directory/audience.ts';
import { activateMember, deactivateMember } from './directory/deactivate-member.ts';
import { getMember } from './directory/get-member.ts';
import { CHILDREN, getChildren, listGuardians, putGuardians } from './directory/guardians.ts';
import { getMe } from './directory/get-me.ts';
import { deleteMember } from './directory/delete-member.ts';
import { updateMember } from './directory/update-member.ts';
import { eraseMember } from './directory/erase-member.ts';
import { forgetSignOuts } from './directory/forget-sign-outs.ts';
import { listShutOut } from './directory/list-shut-out.ts';
import { listMembers } from './directory/list-members.ts';
import { putMembers } from './directory/put-members.ts';
import { signOutMember } from './directory/sign-out-member.ts';
import { listEnrolments } from './people/list-enrolments.ts';
import { promoting } from './people/promote-waiting.ts';
import { transferEnrolment } from './people/transfer-enrolment.ts';
import { listHolidays } from './schedule/holidays.ts';
import { approveLeave } from './attendance/approve-leave.ts';
import { cancelLeave } from './attendance/cancel-leave.ts';
import { rejectLeave } from './attendance/reject-leave.ts';
import { getLeave } from './attendance/get-leave.ts';
import { listLeaves } from './attendance/list-leaves.ts';
import { quoteLeave } from './attendance/quote-leave.ts';
import { requestLeave } from './attendance/request-leave.ts';
import { cancelLesson } from './schedule/cancel-lesson.ts';
import { createLesson } from './schedule/create-lesson.ts';
import { getLesson } from './schedule/get-lesson.ts';
import { listLessons } from './schedule/list-all-lessons.ts';
import { listLessonClashes } from './schedule/list-lesson-clashes.ts';
import { listClazzLessons, listMyLessons } from './schedule/list-lessons.ts';
import { checkReferences } from './reference/check-references.ts';
import { countReferences } from './reference/count-references.ts';
import { getRoster, getStudents } from './reference/get-roster.ts';
import { listMyStudents, listMyTeachers } from './people/list-relations.ts';
import { putClazzAssistants } from './clazz/put-clazz-assistants.ts';
import { adjustHours } from './hours/adjust-hours.ts';
import { expireHours } from './hours/expire-hours.ts';
import { grantHoursInBulk, grantHours } from './hours/grant-hours.ts';
import { getHourAccount } from './hours/get-hour-account.ts';
import { getReceipt } from './hours/get-receipt.ts';
import { listHourAccounts } from './hours/list-hour-accounts.ts';
import { listStudentHourEntries } from './hours/list-student-hour-entries.ts';
import { listHourEntries } from './hours/list-hour-entries.ts';
import { quoteRefund } from './hours/quote-refund.ts';
import { refundHours } from './hours/refund-hours.ts';
import { getHourSummary } from './hours/get-hour-summary.ts';
import { transferHours } from './hours/transfer-hours.ts';
import { migrations } from './migrations.ts';
import { bookMakeUp } from './attendance/book-make-up.ts';
import { listMakeUpOptions } from './attendance/list-make-up-options.ts';
import { undoMakeUp } from './attendance/undo-make-up.ts';
import { keepRefusals, removeOldRefusals } from './refusal/keep-refusals.ts';
import { listRefusals } from './refusal/list-refusals.ts';
import { createRoom, getRoom, listFreeRooms, listRooms, deleteRoom, updateRoom } from './room/rooms.ts';
import { getPolicy, policyCurrency } from './policy/get-policy.ts';
import { putPolicy } from './policy/put-policy.ts';
import { listMissingRollCalls } from './attendance/list-missing-roll-calls.ts';
import { getRollCall } from './attendance/get-roll-call.ts';
import { listRollCallRevisions } from './attendance/list-roll-call-revisions.ts';
import { submitRollCall } from './attendance/submit-roll-call.ts';
import { substituteTeacher } from './schedule/substitute-teacher.ts';
import { listSubstituteOptions } from './schedule/list-substitute-options.ts';
import { updateLesson } from './schedule/update-lesson.ts';
import { restoreLesson } from './schedule/restore-lesson.ts';
import { checkLesson } from './schedule/check-lesson.ts';
import { createLessonSeries } from './schedule/create-lesson-series.ts';
import { previewLessonSeries } from './schedule/preview-lesson-series.ts';

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
  migrations,
};
