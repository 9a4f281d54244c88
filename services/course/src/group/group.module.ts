import { courseGroupCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import {
  createCourseGroup,
  deleteCourseGroup,
  getCourseGroup,
  listCourseGroups,
  listOrganizationVisibleCourseGroups,
  updateCourseGroup,
} from './group.calls.ts';
import { putCourseGroupCourses } from './put-course-group-courses.ts';

export const groupModule = {
  routes: routes(courseGroupCalls, {
    listOrganizationVisibleCourseGroups,
    createCourseGroup,
    listCourseGroups,
    getCourseGroup,
    updateCourseGroup,
    deleteCourseGroup,
    putCourseGroupCourses,
  }),
};
