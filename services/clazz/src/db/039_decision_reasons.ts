import { migration } from '@teaching/kit';

/** The reason that was given with the decision about a leave. */
export const decisionReasons = migration('139_decision_reasons', 'alter table leave add column decision_reason text');
