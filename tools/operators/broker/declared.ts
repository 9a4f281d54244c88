import {
  type AnyCall,
  allCalls,
  allEvents,
  deadLetterCalls,
  SERVICES,
  statusCalls,
} from '../../../libs/contracts/src/index.ts';
import type { App } from '../../../libs/kit/src/index.ts';
import { app as clazz } from '../../../services/clazz/src/app.ts';
import { app as course } from '../../../services/course/src/app.ts';
import { app as packages } from '../../../services/package/src/app.ts';
import { app as stats } from '../../../services/stats/src/app.ts';
import type { Declared } from './permissions.ts';

const apps: readonly App[] = [clazz, course, packages, stats];

/** What every service answers an operator. */
const operations: readonly AnyCall[] = SERVICES.flatMap((service) => [
  ...Object.values(statusCalls(service)),
  ...Object.values(deadLetterCalls(service)),
]);

/** What calls there are, and who follows what. */
export const declared: Declared = {
  calls: [...allCalls, ...operations],
  events: allEvents,
  follows: Object.fromEntries(apps.map(({ name, follower }) => [name, follower?.follows ?? []])),
};
