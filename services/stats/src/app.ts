import type { App } from '@teaching/kit';

export const app: App = {
  name: 'stats',
  routes: [],
  listeners: [],
  consumer: undefined,
  jobs: [],
  entities: [],
  migrations: [],
};
