import type { Logger } from 'pino';
import { FailureLog } from '../telemetry/failure-log.ts';
import { WakeSignal } from '../log/wake-signal.ts';

/** While nothing is wrong; a lost connection is looked at without delay. */
const LOOK_MS = 2_000;
const LOOK_AGAIN_MS = 1_000;
/** How often it is said what is missing. */
const SAY_MS = 5_000;
/** An instance that lacks what it needs for so long takes part no longer. */
const LEAVE_MS = 3_000;

/** What an instance needs, each with what is wrong with it; nothing is wrong where it is undefined. */
export type InstanceNeeds = Readonly<Record<string, string | undefined>>;

export interface Readiness {
  /** As last looked; undefined before the first look. */
  needs(): InstanceNeeds | undefined;
  isReady(): boolean;
  /** A connection was lost or is back: looks now, not at the next time. */
  lookNow: () => void;
  /** Looks again and again until `stop` is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

export interface ReadinessOptions {
  log: Logger;
  look: () => Promise<InstanceNeeds>;
  /** Everything is there: takes part from now on. */
  join: () => void;
  /** Something has been missing for some seconds. */
  leave: () => void;
}

/** Lets an instance take part only while it has all it needs. */
export const createReadiness = ({ log, look, join, leave }: ReadinessOptions): Readiness => {
  const teller = new FailureLog(log, 'not ready', SAY_MS);
  let needs: InstanceNeeds | undefined;
  let takesPart = false;
  let wellAt = 0;
  const waker = new WakeSignal();
  const isWell = (): boolean => needs !== undefined && Object.values(needs).every((reason) => reason === undefined);

  const once = async (): Promise<void> => {
    needs = await look();
    const wrong = Object.entries(needs).flatMap(([name, reason]) =>
      reason === undefined ? [] : [`${name.replaceAll('_', ' ')}: ${reason}`],
    );
    if (wrong.length === 0) {
      wellAt = Date.now();
      teller.over();
      if (!takesPart) join();
      takesPart = true;
      return;
    }
    teller.tell(wrong.join('; '));
    if (takesPart && Date.now() - wellAt > LEAVE_MS) {
      takesPart = false;
      leave();
    }
  };

  return {
    needs: () => needs,
    isReady: () => takesPart && isWell(),
    lookNow: () => waker.wake(),
    run: async (stop) => {
      while (!stop.aborted) {
        await once();
        await waker.pause(isWell() ? LOOK_MS : LOOK_AGAIN_MS, stop);
      }
      takesPart = false;
    },
  };
};
