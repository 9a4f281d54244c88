import { JihuaRow } from '@teaching/contracts';
import { instant, p, type Row, table } from '@teaching/kit';

export const dates = () => p.array().columnType('date[]');

export const JIHUA = table('jihua', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  teacher_id: p.text(),
  title: p.text(),
  starts_on: p.date(),
  ends_on: p.date(),
  zone: p.text(),
  weekdays: p.array<number>().columnType('int[]').nullable(),
  rrule: p.text().nullable(),
  items: p.json<JihuaRow['items']>(),
  backfill_days: p.integer(),
  frozen_dates: dates(),
  planned_dates: dates(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** A plan as it is listed: everything but its days, which are many. */
export const LISTED = JIHUA.wire(JihuaRow);
/** The same of one in full; told to others, too. */
export const toJihuaRow = ({ planned_dates: _many, ...row }: Row<typeof JIHUA>): JihuaRow => row;
