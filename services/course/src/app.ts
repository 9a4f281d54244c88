import {
  courseCalls,
  courseCategoryCalls,
  courseGroupCalls,
  courseReferenceCalls,
  courseSectionCalls,
  dakaCalls,
  jihuaCalls,
  lianxiCalls,
  courseMemberCalls,
  piyueCalls,
} from '@teaching/contracts';
import { type App, logTimeline, numberedLog, routes, sampledLate } from '@teaching/kit';
import {
  createCourseCategory,
  listCourseCategories,
  deleteCourseCategory,
  updateCourseCategory,
} from './category/category.calls.ts';
import { copyCourse } from './section/copy-course.ts';
import { createCourse } from './course/create-course.ts';
import { getCourse } from './course/get-course.ts';
import { listCourses } from './course/list-courses.ts';
import { deleteCourse } from './course/delete-course.ts';
import { updateCourse } from './course/update-course.ts';
import { courses } from './db/001_courses.ts';
import { releaseAndKey } from './db/004_release_and_key.ts';
import { studentSince } from './db/005_student_since.ts';
import { peopleWhoWereErased } from './db/006_people_who_were_erased.ts';
import { indexesOfGrowth } from './db/007_indexes_of_growth.ts';
import { directoryFollowed } from './db/008_directory_followed.ts';
import { closingAndAttempts } from './db/009_closing_and_attempts.ts';
import { closedCourseLog, struckInOwnOrg } from './db/010_hostile_statements.ts';
import { DIRECTORY } from './directory/follow.ts';
import { listDaka } from './daka/list-daka.ts';
import { putDaka } from './daka/put-daka.ts';
import { getDakaStreak } from './daka/get-daka-streak.ts';
import { lianxi } from './db/002_lianxi.ts';
import { jihua } from './db/003_jihua.ts';
import { createCourseGroup } from './group/create-course-group.ts';
import { getCourseGroup } from './group/get-course-group.ts';
import { listOrganizationVisibleCourseGroups, listCourseGroups } from './group/list-course-groups.ts';
import { putCourseGroupCourses } from './group/put-course-group-courses.ts';
import { deleteCourseGroup } from './group/delete-course-group.ts';
import { updateCourseGroup } from './group/update-course-group.ts';
import { createJihua } from './jihua/create-jihua.ts';
import { getJihua } from './jihua/get-jihua.ts';
import { listJihua } from './jihua/list-jihua.ts';
import { putJihuaStudents } from './jihua/put-students.ts';
import { deleteJihua } from './jihua/delete-jihua.ts';
import { updateJihua } from './jihua/update-jihua.ts';
import { copyLianxi } from './lianxi/copy-lianxi.ts';
import { createLianxi } from './lianxi/create-lianxi.ts';
import { extendLianxi } from './lianxi/extend-lianxi.ts';
import { getLianxi } from './lianxi/get-lianxi.ts';
import { listLianxi } from './lianxi/list-lianxi.ts';
import { getLianxiOverview } from './submission/get-lianxi-overview.ts';
import { deleteLianxi } from './lianxi/delete-lianxi.ts';
import { updateLianxi } from './lianxi/update-lianxi.ts';
import { eraseMember } from './directory/erase-member.ts';
import { claimSubmission } from './piyue/claim-submission.ts';
import { markSubmission } from './piyue/mark-submission.ts';
import { listSubmissionMarks } from './piyue/list-submission-marks.ts';
import { listPiyueQueue } from './piyue/list-piyue-queue.ts';
import { releaseSubmissionMarks } from './piyue/release-submission-marks.ts';
import { checkReferences } from './reference/check-references.ts';
import { countPerson } from './reference/count-person.ts';
import { countReferences } from './reference/count-references.ts';
import { createCourseSection } from './section/create-course-section.ts';
import { listCourseSections } from './section/list-course-sections.ts';
import { deleteCourseSection } from './section/delete-course-section.ts';
import { reorderCourseSections } from './section/reorder-course-sections.ts';
import { updateCourseSection } from './section/update-course-section.ts';
import { submitLianxi } from './submission/submit-lianxi.ts';
import { listSubmissions } from './submission/list-submissions.ts';

/** The course service: what it answers. */
export const app: App = {
  name: 'course',
  routes: [
    ...routes(courseCategoryCalls, {
      createCourseCategory,
      listCourseCategories,
      updateCourseCategory,
      deleteCourseCategory,
    }),
    ...routes(courseCalls, {
      createCourse,
      copyCourse,
      listCourses,
      getCourse,
      updateCourse,
      deleteCourse,
    }),
    ...routes(courseSectionCalls, {
      createCourseSection,
      listCourseSections,
      updateCourseSection,
      deleteCourseSection,
      reorderCourseSections,
    }),
    ...routes(courseGroupCalls, {
      listOrganizationVisibleCourseGroups,
      createCourseGroup,
      listCourseGroups,
      getCourseGroup,
      updateCourseGroup,
      deleteCourseGroup,
      putCourseGroupCourses,
    }),
    ...routes(courseMemberCalls, { erase: eraseMember }),
    ...routes(lianxiCalls, {
      createLianxi,
      copyLianxi,
      listLianxi,
      getLianxi,
      updateLianxi,
      deleteLianxi,
      extendLianxi,
      getLianxiOverview,
      submitLianxi,
      listSubmissions,
    }),
    ...routes(piyueCalls, {
      listPiyueQueue,
      claimSubmission,
      markSubmission,
      releaseSubmissionMarks,
      listSubmissionMarks,
    }),
    ...routes(jihuaCalls, {
      createJihua,
      listJihua,
      getJihua,
      updateJihua,
      deleteJihua,
      putJihuaStudents,
    }),
    ...routes(dakaCalls, { putDaka, listDaka, getDakaStreak }),
    ...routes(courseReferenceCalls, { checkReferences, countReferences, countPerson }),
  ],
  follower: DIRECTORY,
  jobs: [],
  migrations: [
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
    sampledLate('110_sampled_late', 'log_entry', 'log_batch'),
  ],
};
