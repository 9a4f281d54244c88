import { enrolmentCalls, relationCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { resumeEnrolment, suspendEnrolment, withdrawEnrolment } from './change-enrolment.ts';
import { enrol } from './enrol-students.ts';
import { listMyStudents, listMyTeachers } from './list-relations.ts';
import { listEnrolments } from './read-enrolments.ts';
import { promoteOverTime } from './promote-over-time.ts';
import { transferEnrolment } from './transfer-enrolment.ts';

/** Enrolments of students, and relations between students and teachers. */
export const peopleModule: Module = {
  routes: [
    ...routes(enrolmentCalls, {
      enrolStudents: enrol,
      listEnrolments,
      suspendEnrolment,
      resumeEnrolment,
      withdrawEnrolment,
      transferEnrolment,
    }),
    ...routes(relationCalls, { listMyStudents, listMyTeachers }),
  ],
  jobs: [promoteOverTime],
};
