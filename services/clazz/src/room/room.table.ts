import { instant, p, table } from '@teaching/kit';

/** The rooms of an org. Lessons name theirs by text, so a room may be taken off the list while it is used. */
export const ROOM = table('room', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  capacity: p.integer().nullable(),
  note: p.text().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});
