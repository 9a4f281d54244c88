import { clazz } from './chapters/clazz.ts';
import { completion } from './chapters/completion.ts';
import { figures } from './chapters/figures.ts';
import { hours } from './chapters/hours.ts';
import { leave } from './chapters/leave.ts';
import { office } from './chapters/office.ts';
import { packages } from './chapters/packages.ts';
import { plan } from './chapters/plan.ts';
import { practice } from './chapters/practice.ts';
import { refund } from './chapters/refund.ts';
import { school } from './chapters/school.ts';
import { auditLog } from './chapters/audit-log.ts';
import type { Stage } from './scenario-stage.ts';

/** Plays the whole scenario in order. Throws at the first unexpected answer. */
export const playScenario = async (stage: Stage): Promise<void> => {
  const place = await school(stage);
  const sold = await packages(stage, place);
  await practice(stage, place);
  await plan(stage);
  const running = await clazz(stage, place, sold);
  await hours(stage, running, sold);
  await leave(stage, running);
  await refund(stage);
  await figures(stage, running);
  await office(stage, running);
  await auditLog(stage, running);
  await completion(stage, running);
};
