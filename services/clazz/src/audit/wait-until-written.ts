import { setTimeout as pause } from 'node:timers/promises';
import { type Session, statement } from '@teaching/kit';

const WAIT_MS = 2_000;
const POLL_MS = [2, 5, 10, 20, 40];

/**
 * Audit events on their way to the trail: not published yet, or published behind the consumer's position.
 * Both sets are small and indexed, however long the history is. `$2` null means the whole org.
 */
const ON_THEIR_WAY = statement<{ last: number | null }>(
  `select max(seq) as last from (
     select seq, org_id, aggregate_id, subject from outbox where published_at is null
     union all
     select seq, org_id, aggregate_id, subject from outbox
     where stream_seq > (select stream_seq from consumer_position where consumer = 'clazz')
   ) as pending
   where org_id = $1 and ($2::text is null or aggregate_id = $2) and seq <= $3
     and subject = 'evt.' || $1 || '.clazz.audit.recorded'`,
);

/** Waits, bounded, until the trail holds what was written before: who reads it sees their own writes. Waiting holds no connection. */
export const waitUntilWritten = async (session: Session, clazz_id: string | null): Promise<void> => {
  const pending = async (upTo: number): Promise<number | null> =>
    (await session.peek(ON_THEIR_WAY, session.org_id, clazz_id, upTo))[0]?.last ?? null;
  const last = await pending(Number.MAX_SAFE_INTEGER);
  if (last === null) return;
  const end = Date.now() + WAIT_MS;
  for (let tries = 0; Date.now() < end && (await pending(last)) !== null; tries += 1) {
    await pause(POLL_MS[tries] ?? 50);
  }
};
