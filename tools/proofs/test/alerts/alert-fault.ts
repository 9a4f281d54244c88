import { holdsWithin } from '../../system/poll.ts';
import type { Stage } from './alert-stage.ts';
import type { Watch } from './watch.ts';

const FIRES_MS = 90_000;

export interface Fault {
  about: string;
  alerts: readonly string[];
  /** How long it may take until they fire; 90 s unless said otherwise. */
  patience_ms?: number;
  /** Why this machine cannot do it; undefined where it can. */
  whyNot?: () => string | undefined;
  /** Answers how it is mended. */
  strike: (stage: Stage) => Promise<() => Promise<unknown>>;
}

/** What came of a fault, in epoch milliseconds. */
export interface FaultResult {
  fault: Fault;
  struck: number;
  fired: ReadonlyMap<string, number>;
  mended: number;
}

/** Strikes once its alerts are silent, waits until each has fired since then, and mends it, whatever came of it. */
export const playFault = async (fault: Fault, stage: Stage, watch: Watch): Promise<FaultResult> => {
  const { about, alerts, strike, patience_ms = FIRES_MS } = fault;
  const early = (): string[] => watch.firing().filter((one) => alerts.includes(one));
  if (!(await holdsWithin(() => early().length === 0, FIRES_MS)))
    throw new Error(`${about}: before that, this fires: ${watch.about(early())}`);
  const struck = Date.now();
  const mend = await strike(stage);
  const silent = (): string[] => alerts.filter((one) => watch.firedAt(one, struck) === undefined);
  const haveFired = await holdsWithin(() => silent().length === 0, patience_ms);
  const fired = new Map(alerts.map((one) => [one, watch.firedAt(one, struck) ?? Number.NaN]));
  await mend();
  if (!haveFired)
    throw new Error(`${about}: ${silent().join(', ')} did not fire; these do: ${watch.about(watch.firing())}`);
  return { fault, struck, fired, mended: Date.now() };
};

/** How long each alert took to fire and, once all was mended, to fall silent. */
export const reportFaults = (all: readonly FaultResult[], watch: Watch): string =>
  all
    .flatMap(({ fault, struck, fired, mended }) => [
      fault.about,
      ...[...fired].map(([alert, at]) => {
        const silentAt = watch.silentAt(alert, at);
        const silent = silentAt === undefined ? 'fires still' : `silent after ${seconds(silentAt - mended)}`;
        return `  ${alert.padEnd(18)} fires after ${seconds(at - struck)}, ${silent}`;
      }),
    ])
    .join('\n');

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
