import { courseCalls, courseSectionCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { copyCourse } from './copy-course.ts';
import { createCourse, deleteCourse, getCourse, listCourses, updateCourse } from './course.calls.ts';
import {
  createCourseSection,
  deleteCourseSection,
  listCourseSections,
  reorderCourseSections,
  updateCourseSection,
} from './section.calls.ts';

export const courseModule = {
  routes: [
    ...routes(courseCalls, { createCourse, copyCourse, listCourses, getCourse, updateCourse, deleteCourse }),
    ...routes(courseSectionCalls, {
      createCourseSection,
      listCourseSections,
      updateCourseSection,
      deleteCourseSection,
      reorderCourseSections,
    }),
  ],
};
