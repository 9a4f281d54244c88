import { bigint, instant, p, table } from '@teaching/kit';
import { counts } from './clazz-figure.table.ts';

/** What one organization did in one quarter of an hour. */
export const ORG_FIGURE = table('org_figure', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  at: instant().primary(),
  ...counts(),
  markings: p.integer(),
  marking_seconds: bigint(),
  leave_handled: p.integer(),
});
