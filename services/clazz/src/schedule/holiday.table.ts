import { p, table } from '@teaching/kit';

export const HOLIDAY = table('holiday', {
  org_id: p.uuid().primary(),
  date: p.date().primary(),
  name: p.text(),
});
