import { ENTRY_KINDS } from '@teaching/contracts';
import { hundredths, instant, p, table } from '@teaching/kit';

/** Entries of hour ledgers. They never change; they explain figures, and are not what these are made of. */
export const ENTRY = table('entry', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  student_id: p.text().primary(),
  kind: p.enum(ENTRY_KINDS),
  amount: hundredths(),
  lesson_id: p.uuid().nullable(),
  clazz_id: p.uuid().nullable(),
  created_at: instant(),
});
