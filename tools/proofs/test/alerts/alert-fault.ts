import { holdsWithin } from '../../system/poll.ts';
import type { Stage } from './alert-stage.ts';
import type { AlertWatch } from './alert-watch.ts';

const FIRES_MS = 90_000;

export interface Fault {
  about: string;
  alerts: readonly string[];
  /** Milliseconds until the alerts must fire; default 90 s. */
  patience_ms?: number;
  /** Why this machine cannot create the fault; `undefined` where it can. */
  skipReason?: () => string | undefined;
  /** Creates the fault and returns a function that repairs it. */
  strike: (stage: Stage) => Promise<() => Promise<unknown>>;
}

/** When a fault began, when its alerts fired and when it was repaired, in epoch milliseconds. */
export interface FaultResult {
  fault: Fault;
  startedAt: number;
  firedAt: ReadonlyMap<string, number>;
  repairedAt: number;
}

/** Creates the fault when its alerts are silent, waits until each has fired, and repairs it in any case. */
export const runFault = async (fault: Fault, stage: Stage, watch: AlertWatch): Promise<FaultResult> => {
  const { about, alerts, strike, patience_ms = FIRES_MS } = fault;
  const early = (): string[] => watch.firing().filter((one) => alerts.includes(one));
  if (!(await holdsWithin(() => early().length === 0, FIRES_MS)))
    throw new Error(`${about}: these alerts fire before the fault: ${watch.about(early())}`);
  const startedAt = Date.now();
  const repair = await strike(stage);
  const silent = (): string[] => alerts.filter((one) => watch.firedAt(one, startedAt) === undefined);
  const haveFired = await holdsWithin(() => silent().length === 0, patience_ms);
  const firedAt = new Map(alerts.map((one) => [one, watch.firedAt(one, startedAt) ?? Number.NaN]));
  await repair();
  if (!haveFired)
    throw new Error(`${about}: ${silent().join(', ')} did not fire; firing alerts: ${watch.about(watch.firing())}`);
  return { fault, startedAt, firedAt, repairedAt: Date.now() };
};

/** Formats how long each alert needed to fire and, after the repair, to be silent. */
export const reportFaults = (all: readonly FaultResult[], watch: AlertWatch): string =>
  all
    .flatMap(({ fault, startedAt, firedAt, repairedAt }) => [
      fault.about,
      ...[...firedAt].map(([alert, at]) => {
        const silentAt = watch.silentAt(alert, at);
        const silent = silentAt === undefined ? 'still fires' : `silent after ${seconds(silentAt - repairedAt)}`;
        return `  ${alert.padEnd(18)} fires after ${seconds(at - startedAt)}, ${silent}`;
      }),
    ])
    .join('\n');

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
