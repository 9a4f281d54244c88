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
import type { Declarations } from './permissions.ts';

const apps: readonly App[] = [clazz, course, packages, stats];

/** Calls that every service answers for operators. */
const operations: readonly AnyCall[] = SERVICES.flatMap((service) => [
  ...Object.values(statusCalls(service)),
  ...Object.values(deadLetterCalls(service)),
]);

/** All calls, and the logs that each service follows. */
export const declarations: Declarations = {
  calls: [...allCalls, ...operations],
  events: allEvents,
  follows: Object.fromEntries(apps.map(({ name, follower }) => [name, follower?.follows ?? []])),
};
