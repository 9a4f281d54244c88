import type { Logger } from 'pino';
import { FailureLog } from '../telemetry/failure-log.ts';
import { WakeSignal } from '../log/wake-signal.ts';

/** Interval between checks while all dependencies are available. A lost connection is checked at once. */
const CHECK_MS = 2_000;
const RECHECK_MS = 1_000;
/** Interval between log lines about missing dependencies. */
const REPORT_MS = 5_000;
/** An instance that lacks a dependency for longer than this takes no more calls. */
const LEAVE_MS = 3_000;

/** The dependencies of an instance by name, each with its problem; undefined while it is available. */
export type DependencyProblems = Readonly<Record<string, string | undefined>>;

export interface Readiness {
  /** The result of the last check; undefined before the first. */
  dependencyProblems(): DependencyProblems | undefined;
  isReady(): boolean;
  /** Call when a connection was lost or restored: checks now. */
  checkNow: () => void;
  /** Repeats the check until `stop` is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

export interface ReadinessOptions {
  log: Logger;
  check: () => Promise<DependencyProblems>;
  /** All dependencies are available: the instance takes calls from now on. */
  join: () => void;
  /** A dependency has been missing for some seconds. */
  leave: () => void;
}

/** Lets an instance take calls only while all its dependencies are available. */
export const createReadiness = ({ log, check, join, leave }: ReadinessOptions): Readiness => {
  const failureLog = new FailureLog(log, 'not ready', REPORT_MS);
  let needs: DependencyProblems | undefined;
  let takesPart = false;
  let healthyAt = 0;
  const waker = new WakeSignal();
  const isHealthy = (): boolean => needs !== undefined && Object.values(needs).every((reason) => reason === undefined);

  const checkOnce = async (): Promise<void> => {
    needs = await check();
    const problems = Object.entries(needs).flatMap(([name, reason]) =>
      reason === undefined ? [] : [`${name.replaceAll('_', ' ')}: ${reason}`],
    );
    if (problems.length === 0) {
      healthyAt = performance.now();
      failureLog.logRecovery();
      if (!takesPart) join();
      takesPart = true;
      return;
    }
    failureLog.report(problems.join('; '));
    if (takesPart && performance.now() - healthyAt > LEAVE_MS) {
      takesPart = false;
      leave();
    }
  };

  return {
    dependencyProblems: () => needs,
    isReady: () => takesPart && isHealthy(),
    checkNow: () => waker.wake(),
    run: async (stop) => {
      while (!stop.aborted) {
        await checkOnce();
        await waker.pause(isHealthy() ? CHECK_MS : RECHECK_MS, stop);
      }
      takesPart = false;
    },
  };
};
