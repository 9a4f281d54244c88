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
import { createCategory, listCategories, removeCategory, updateCategory } from './category/category.calls.ts';
import { copyCourse } from './section/copy-course.ts';
import { createCourse } from './course/create-course.ts';
import { getCourse } from './course/get-course.ts';
import { listCourses } from './course/list-courses.ts';
import { removeCourse } from './course/remove-course.ts';
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
import { readStreak } from './daka/read-streak.ts';
import { lianxi } from './db/002_lianxi.ts';
import { jihua } from './db/003_jihua.ts';
import { createGroup } from './group/create-group.ts';
import { getGroup } from './group/get-group.ts';
import { findOrgVisible, listGroups } from './group/list-groups.ts';
import { putCourses } from './group/put-courses.ts';
import { removeGroup } from './group/remove-group.ts';
import { updateGroup } from './group/update-group.ts';
import { createJihua } from './jihua/create-jihua.ts';
import { getJihua } from './jihua/get-jihua.ts';
import { listJihua } from './jihua/list-jihua.ts';
import { putJihuaStudents } from './jihua/put-students.ts';
import { removeJihua } from './jihua/remove-jihua.ts';
import { updateJihua } from './jihua/update-jihua.ts';
import { copyLianxi } from './lianxi/copy-lianxi.ts';
import { createLianxi } from './lianxi/create-lianxi.ts';
import { extendLianxi } from './lianxi/extend-lianxi.ts';
import { getLianxi } from './lianxi/get-lianxi.ts';
import { listLianxi } from './lianxi/list-lianxi.ts';
import { overviewLianxi } from './submission/overview-lianxi.ts';
import { removeLianxi } from './lianxi/remove-lianxi.ts';
import { updateLianxi } from './lianxi/update-lianxi.ts';
import { eraseMember } from './directory/erase-member.ts';
import { claimSubmission } from './piyue/claim-submission.ts';
import { markSubmission } from './piyue/mark-submission.ts';
import { markHistory } from './piyue/mark-history.ts';
import { markingQueue } from './piyue/marking-queue.ts';
import { releaseMarks } from './piyue/release-marks.ts';
import { checkReferences } from './reference/check-references.ts';
import { countPerson } from './reference/count-person.ts';
import { countReferences } from './reference/count-references.ts';
import { createSection } from './section/create-section.ts';
import { listSections } from './section/list-sections.ts';
import { removeSection } from './section/remove-section.ts';
import { reorderSections } from './section/reorder-sections.ts';
import { updateSection } from './section/update-section.ts';
import { createSubmission } from './submission/create-submission.ts';
import { listSubmissions } from './submission/list-submissions.ts';

/** The course service: what it answers. */
export const app: App = {
  name: 'course',
  routes: [
    ...routes(courseCategoryCalls, {
      create: createCategory,
      list: listCategories,
      update: updateCategory,
      remove: removeCategory,
    }),
    ...routes(courseCalls, {
      create: createCourse,
      copy: copyCourse,
      list: listCourses,
      get: getCourse,
      update: updateCourse,
      remove: removeCourse,
    }),
    ...routes(courseSectionCalls, {
      create: createSection,
      list: listSections,
      update: updateSection,
      remove: removeSection,
      reorder: reorderSections,
    }),
    ...routes(courseGroupCalls, {
      findOrgVisible,
      create: createGroup,
      list: listGroups,
      get: getGroup,
      update: updateGroup,
      remove: removeGroup,
      putCourses,
    }),
    ...routes(courseMemberCalls, { erase: eraseMember }),
    ...routes(lianxiCalls, {
      create: createLianxi,
      copy: copyLianxi,
      list: listLianxi,
      get: getLianxi,
      update: updateLianxi,
      remove: removeLianxi,
      extend: extendLianxi,
      overview: overviewLianxi,
      submit: createSubmission,
      listSubmissions,
    }),
    ...routes(piyueCalls, {
      queue: markingQueue,
      claim: claimSubmission,
      mark: markSubmission,
      release: releaseMarks,
      history: markHistory,
    }),
    ...routes(jihuaCalls, {
      create: createJihua,
      list: listJihua,
      get: getJihua,
      update: updateJihua,
      remove: removeJihua,
      putStudents: putJihuaStudents,
    }),
    ...routes(dakaCalls, { put: putDaka, list: listDaka, streak: readStreak }),
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
