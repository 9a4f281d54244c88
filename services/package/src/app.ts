import type { App } from '@teaching/kit';
import { migrations } from './db/migrations.ts';
import { packageModule } from './package/package.module.ts';
import { referenceModule } from './reference/reference.module.ts';

/** The package service: its features and its schema. */
export const app: App = {
  name: 'package',
  routes: [...packageModule.routes, ...referenceModule.routes],
  follower: undefined,
  jobs: [],
  migrations,
};
