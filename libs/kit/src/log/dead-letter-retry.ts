import { Envelope } from '@teaching/contracts';
import type { Logger } from 'pino';
import { type Applier, type ApplierSpec, setTimeLimits } from './applier.ts';
import {
  DUE_LETTERS,
  type DueLetter,
  RECORD_FAILURE,
  REMAINING_OF_AGGREGATE,
  LOCK_LETTER,
  pauseAfter,
  MARK_REPLAYED,
  shortReason,
  ALLOW_ANOTHER_TRY,
} from './dead-letter-statements.ts';
import { receivedEvent } from './received-event.ts';
import { failureKindOf } from './failure-kind.ts';
import { reasonOf } from '../telemetry/failure-log.ts';
import { inWorkerTransaction, type WorkerDeps } from './worker-transaction.ts';

const LIMIT_MS = 300;
/** Interval while dead letters exist, in milliseconds. */
const POLL_MS = 500;
/** Interval while none exist; a new one wakes the loop. */
const IDLE_MS = 30_000;

/** Retries dead letters while new events are applied, in order within each aggregate. */
export const createDeadLetterRetry = (
  deps: WorkerDeps & { log: Logger; onApplied: () => void },
  spec: ApplierSpec,
  applier: Applier,
) => {
  const { follower, generation, log, apply, mutex } = spec;

  /** Returns false if another process applied it first. */
  const replay = (letter: DueLetter): Promise<boolean> =>
    mutex.run(() =>
      inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, LIMIT_MS);
        const [locked] = await tx.query(LOCK_LETTER, follower, letter.event_id);
        if (locked === undefined) return false;
        await apply([receivedEvent(Envelope.parse(letter.event))])(tx, generation);
        tx.run(MARK_REPLAYED, follower, letter.event_id);
        return true;
      }),
    );

  const recordFailure = async (letter: DueLetter, error: unknown): Promise<void> => {
    const tries = letter.tries + 1;
    const reason = shortReason(reasonOf(error));
    await inWorkerTransaction(deps, async (tx) =>
      tx.run(RECORD_FAILURE, follower, letter.event_id, reason, tries, pauseAfter(tries)),
    );
  };

  /**
   * Releases the aggregate's events when none of its dead letters is left. It holds the mutex, so no event becomes a
   * dead letter of the aggregate meanwhile.
   */
  const release = ({ org_id, aggregate_id }: DueLetter): Promise<void> =>
    mutex.run(async () => {
      const [left] = await inWorkerTransaction(deps, (tx) =>
        tx.query(REMAINING_OF_AGGREGATE, follower, org_id, aggregate_id, log),
      );
      if (left?.waiting === false) applier.release(org_id, aggregate_id);
    });

  /** Retries the dead letters that are due. Returns true if one was applied, since later ones may be due now. */
  const retryDueLetters = async (stop: AbortSignal): Promise<boolean> => {
    const letters = await inWorkerTransaction(deps, (tx) => tx.query(DUE_LETTERS, follower, log));
    let applied = false;
    for (const letter of letters) {
      if (stop.aborted) return false;
      try {
        applied = (await replay(letter)) || applied;
        await release(letter);
      } catch (error) {
        if (failureKindOf(error) === 'environment') throw error;
        await recordFailure(letter, error);
      }
    }
    if (applied) deps.onApplied();
    return applied;
  };

  /** At the start of a term, dead letters without a try left get one more. */
  const allowAnotherTry = (): Promise<void> =>
    inWorkerTransaction(deps, async (tx) => tx.run(ALLOW_ANOTHER_TRY, follower, log));

  return {
    /** Retries until `stop` is aborted. */
    run: async (stop: AbortSignal): Promise<void> => {
      let hasAllowedAnotherTry = false;
      while (!stop.aborted) {
        try {
          if (!hasAllowedAnotherTry) await allowAnotherTry();
          hasAllowedAnotherTry = true;
          while (!stop.aborted && applier.hasDeadLetters() && (await retryDueLetters(stop)));
        } catch (error) {
          deps.log.debug({ err: error }, 'dead letters cannot be retried now');
        }
        await applier.awaitDeadLetter(hasAllowedAnotherTry && !applier.hasDeadLetters() ? IDLE_MS : POLL_MS, stop);
      }
    },
  };
};
