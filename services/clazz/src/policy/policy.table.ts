import type { PolicySettings } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';
import type { z } from 'zod';

/** The versions of each org's policy from the second on: the first is built in. Only ever added. */
export const POLICY = table('policy', {
  org_id: p.uuid().primary(),
  version: p.integer().primary(),
  /** As it was set, so it may lack what was introduced later. */
  settings: p.json<z.input<typeof PolicySettings>>(),
  created_at: instant(),
  created_by: p.text(),
});
