import { courseReferenceCalls } from '@teaching/contracts';
import { type App, routes } from '@teaching/kit';

export const app: App = {
  name: 'course',
  routes: routes(courseReferenceCalls, {
    checkReferences: async () => ({ category_ids: [], course_ids: [], course_section_ids: [] }),
  }),
  listeners: [],
  consumer: undefined,
  jobs: [],
  entities: [],
  migrations: [],
};
