import { courseCategoryCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import {
  createCourseCategory,
  deleteCourseCategory,
  listCourseCategories,
  updateCourseCategory,
} from './category.calls.ts';

export const categoryModule = {
  routes: routes(courseCategoryCalls, {
    createCourseCategory,
    listCourseCategories,
    updateCourseCategory,
    deleteCourseCategory,
  }),
};
