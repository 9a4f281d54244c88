import { instant, p, table } from '@teaching/kit';

/** The rooms of an org. A lesson stores its room as text, so a room can be deleted while lessons use it. */
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
