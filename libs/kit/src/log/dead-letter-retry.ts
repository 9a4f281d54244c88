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
/** While there are dead letters. */
const POLL_MS = 500;
/** Otherwise; a new one wakes it. */
const IDLE_MS = 30_000;

/** Tries dead letters again beside the live path, the first of each aggregate first. */
export const createDeadLetterRetry = (
  deps: WorkerDeps & { log: Logger; onApplied: () => void },
  spec: ApplierSpec,
  applier: Applier,
) => {
  const { follower, generation, log, apply, turn } = spec;

  /** False when somebody else had it first. */
  const replay = (letter: DueLetter): Promise<boolean> =>
    turn.run(() =>
      inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, LIMIT_MS);
        const [locked] = await tx.query(LOCK_LETTER, follower, letter.event_id);
        if (locked === undefined) return false;
        await apply([receivedEvent(Envelope.parse(letter.event))])(tx, generation);
        tx.run(MARK_REPLAYED, follower, letter.event_id);
        return true;
      }),
    );

  const noteFailure = async (letter: DueLetter, error: unknown): Promise<void> => {
    const tries = letter.tries + 1;
    const reason = shortReason(reasonOf(error));
    await inWorkerTransaction(deps, async (tx) =>
      tx.run(RECORD_FAILURE, follower, letter.event_id, reason, tries, pauseAfter(tries)),
    );
  };

  /** Lets the aggregate's events pass once none of it waits; in turn, so that no event is put behind it meanwhile. */
  const release = ({ org_id, aggregate_id }: DueLetter): Promise<void> =>
    turn.run(async () => {
      const [left] = await inWorkerTransaction(deps, (tx) =>
        tx.query(REMAINING_OF_AGGREGATE, follower, org_id, aggregate_id, log),
      );
      if (left?.waiting === false) applier.release(org_id, aggregate_id);
    });

  /** Tries what is due; true when something was applied, so that what waited behind it may be due now. */
  const round = async (stop: AbortSignal): Promise<boolean> => {
    const letters = await inWorkerTransaction(deps, (tx) => tx.query(DUE_LETTERS, follower, log));
    let applied = false;
    for (const letter of letters) {
      if (stop.aborted) return false;
      try {
        applied = (await replay(letter)) || applied;
        await release(letter);
      } catch (error) {
        if (failureKindOf(error) === 'environment') throw error;
        await noteFailure(letter, error);
      }
    }
    if (applied) deps.onApplied();
    return applied;
  };

  /** At the start of a term whatever gave up is tried once more. */
  const begin = (): Promise<void> => inWorkerTransaction(deps, async (tx) => tx.run(ALLOW_ANOTHER_TRY, follower, log));

  return {
    /** Tries whenever something is due, until `stop` is aborted. */
    run: async (stop: AbortSignal): Promise<void> => {
      let hasBegun = false;
      while (!stop.aborted) {
        try {
          if (!hasBegun) await begin();
          hasBegun = true;
          while (!stop.aborted && applier.hasDeadLetters() && (await round(stop)));
        } catch (error) {
          deps.log.debug({ err: error }, 'dead letters cannot be tried just now');
        }
        await applier.awaitDeadLetter(hasBegun && !applier.hasDeadLetters() ? IDLE_MS : POLL_MS, stop);
      }
    },
  };
};
