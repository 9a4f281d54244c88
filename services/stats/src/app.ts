import type { App } from '@teaching/kit';
import { answersModule } from './answers/answers.module.ts';
import { migrations } from './db/migrations.ts';
import { generationsModule } from './generations/generations.module.ts';

/** The statistics service. It follows the events of the class and course services and answers requests for figures. */
export const app: App = {
  name: 'stats',
  modules: [answersModule, generationsModule],
  follower: generationsModule.follower,
  migrations,
  snapshots: true,
};
