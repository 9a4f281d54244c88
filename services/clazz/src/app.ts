import { auditCalls, clazzCalls, enrolmentCalls, lessonCalls, relationCalls } from '@teaching/contracts';
import { type App, routes } from '@teaching/kit';
import { appendEntries } from './audit/append-entries.ts';
import { listEntries } from './audit/list-entries.ts';
import { auditHead, verifyChain } from './audit/verify-chain.ts';
import { activateClazz } from './clazz/activate-clazz.ts';
import { cancelClazz } from './clazz/cancel-clazz.ts';
import { ClazzEntity } from './clazz/clazz.entity.ts';
import { completeClazz } from './clazz/complete-clazz.ts';
import { completionPreview } from './clazz/completion-preview.ts';
import { createClazz } from './clazz/create-clazz.ts';
import { getClazz } from './clazz/get-clazz.ts';
import { listClazzes } from './clazz/list-clazzes.ts';
import { removeClazz } from './clazz/remove-clazz.ts';
import { reopenClazz } from './clazz/reopen-clazz.ts';
import { updateClazz } from './clazz/update-clazz.ts';
import { classes } from './db/001_classes.ts';
import { people } from './db/002_people.ts';
import { schedule } from './db/003_schedule.ts';
import { auditTrail } from './db/004_audit_trail.ts';
import { resume, suspend, withdraw } from './enrolment/change-enrolment.ts';
import { enrol } from './enrolment/enrol.ts';
import { listEnrolments } from './enrolment/list-enrolments.ts';
import { transfer } from './enrolment/transfer.ts';
import { cancelLesson } from './lesson/cancel-lesson.ts';
import { createLesson } from './lesson/create-lesson.ts';
import { getLesson, listLessons, myLessons } from './lesson/list-lessons.ts';
import { myStudents, myTeachers } from './relation/list-relations.ts';
import { setAssistants } from './relation/set-assistants.ts';

/** The class service: classes, people, schedule, and their audit trail. */
export const app: App = {
  name: 'clazz',
  routes: [
    ...routes(clazzCalls, {
      create: createClazz,
      list: listClazzes,
      get: getClazz,
      update: updateClazz,
      remove: removeClazz,
      activate: activateClazz,
      cancel: cancelClazz,
      completionPreview,
      complete: completeClazz,
      reopen: reopenClazz,
      setAssistants,
    }),
    ...routes(enrolmentCalls, { enrol, list: listEnrolments, suspend, resume, withdraw, transfer }),
    ...routes(relationCalls, { myStudents, myTeachers }),
    ...routes(lessonCalls, {
      create: createLesson,
      list: listLessons,
      my: myLessons,
      get: getLesson,
      cancel: cancelLesson,
    }),
    ...routes(auditCalls, { list: listEntries, verify: verifyChain, head: auditHead }),
  ],
  listeners: [],
  consumer: { follows: ['clazz'], apply: appendEntries },
  jobs: [],
  entities: [ClazzEntity],
  migrations: [classes, people, schedule, auditTrail],
};
