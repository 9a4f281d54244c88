import { setTimeout as pause } from 'node:timers/promises';
import { notNull, bigint, p, type Session, statement } from '@teaching/kit';

const WAIT_MS = 2_000;
const POLL_MS = [2, 5, 10, 20, 40];

/** Up to where the org's audit events are numbered, how far the trail is, and whether some wait for their number. */
const PROGRESS = statement('select last, at, waiting from trail_progress($1)', {
  last: notNull(bigint()),
  at: notNull(bigint()),
  waiting: notNull(p.boolean()),
});
const DEAD_LETTERS = statement(
  `select count(*)::int as count from dead_letter where org_id = $1 and follower = 'audit' and replayed_at is null`,
  { count: notNull(p.integer()) },
);
const NOTHING_YET = { last: 0, at: 0, waiting: false };

/** How much of what was done the trail holds. */
export interface AuditProgress {
  /** False when something is still on its way, or could not be put there. */
  complete: boolean;
  /** How many records could not be put there. */
  dead_letters: number;
}

/**
 * Waits, bounded, until the trail holds what was written before, so that readers see their own writes. Waiting
 * holds no connection.
 */
export const waitForAuditEntries = async (session: Session): Promise<AuditProgress> => {
  const progress = async () => (await session.peek(PROGRESS, session.org_id))[0] ?? NOTHING_YET;
  const end = Date.now() + WAIT_MS;
  let { last, at, waiting } = await progress();
  for (let tries = 0; (waiting || at < last) && Date.now() < end; tries += 1) {
    await pause(POLL_MS[tries] ?? 50);
    const now = await progress();
    // What others write meanwhile is not waited for.
    if (waiting) last = now.last;
    waiting &&= now.waiting;
    at = now.at;
  }
  const [letters] = await session.peek(DEAD_LETTERS, session.org_id);
  const dead_letters = letters?.count ?? 0;
  return { complete: !waiting && at >= last && dead_letters === 0, dead_letters };
};
