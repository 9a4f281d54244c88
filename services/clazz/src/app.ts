import type { App } from '@teaching/kit';
import { classes } from './db/001_classes.ts';

export const app: App = {
  name: 'clazz',
  routes: [],
  listeners: [],
  consumer: undefined,
  jobs: [],
  entities: [],
  migrations: [classes],
};
