import { statsCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { explainFigure } from './explain-figure.ts';
import { getClazzStats } from './get-clazz-stats.ts';
import { getMyLessonStats } from './get-my-lesson-stats.ts';
import { getOrganizationStats } from './get-organization-stats.ts';
import { getTeacherStats } from './get-teacher-stats.ts';

export const answersModule = {
  routes: routes(statsCalls, {
    getMyLessonStats,
    getTeacherStats,
    getClazzStats,
    getOrganizationStats,
    explainFigure,
  }),
};
