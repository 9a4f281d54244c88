import { setTimeout as pause } from 'node:timers/promises';
import { notNull, bigint, p, type Session, statement } from '@teaching/kit';

const WAIT_MS = 2_000;
const POLL_MS = [2, 5, 10, 20, 40];

/**
 * The last number of the org's audit events, the number up to which they are in the audit log, and whether events wait
 * for a number.
 */
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

/** How complete the audit log is. */
export interface AuditProgress {
  /** False while records are missing, or when some are dead letters. */
  complete: boolean;
  /** The number of records that could not be written. */
  dead_letters: number;
}

/**
 * Waits until the audit log contains all earlier records, so that readers see their own writes.
 * It waits at most 2 s and uses no database connection meanwhile.
 */
export const waitForAuditEntries = async (session: Session): Promise<AuditProgress> => {
  const progress = async () => (await session.peek(PROGRESS, session.org_id))[0] ?? NOTHING_YET;
  const deadline = performance.now() + WAIT_MS;
  let { last, at: written, waiting } = await progress();
  for (let tries = 0; (waiting || written < last) && performance.now() < deadline; tries += 1) {
    await pause(POLL_MS[tries] ?? 50);
    const now = await progress();
    // Records of later writes are not waited for.
    if (waiting) last = now.last;
    waiting &&= now.waiting;
    written = now.at;
  }
  const [letters] = await session.peek(DEAD_LETTERS, session.org_id);
  const dead_letters = letters?.count ?? 0;
  return { complete: !waiting && written >= last && dead_letters === 0, dead_letters };
};
