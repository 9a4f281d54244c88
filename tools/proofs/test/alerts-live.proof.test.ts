import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivePrometheus, startPrometheus } from '../system/prometheus.ts';
import { holdsWithin } from '../system/poll.ts';
import { type Fault, runFault, type FaultResult, reportFaults } from './alerts/alert-fault.ts';
import { FAULTS, ISSUER_UNREACHABLE, DATABASE_RESTORED } from './alerts/faults.ts';
import { BACKUP_ENDED, INDEPENDENT_FAULTS, BACKUP_FAULTS, AUDIT_FAULTS } from './alerts/concurrent-faults.ts';
import { type Stage, startStage } from './alerts/alert-stage.ts';
import { startAlertWatch, type AlertWatch } from './alerts/alert-watch.ts';

// Each fault makes its alerts fire in real processes that a real Prometheus scrapes. All times of the rules are divided
// by 20.
const FACTOR = 20;
const TIMEOUT = { timeout: 400_000 };
/** Time until all alerts are silent: the longest window of the rules, half an hour, and a margin. */
const SILENT_MS = (30 * 60_000) / FACTOR + 60_000;

const rules = readFileSync(fileURLToPath(new URL('../../../deploy/observability/alerts.yml', import.meta.url)), 'utf8');
const ALERTS = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
/** Faults that run beside the others from the start. The faults of a row run one after another. */
const ROWS = [[ISSUER_UNREACHABLE], BACKUP_FAULTS, AUDIT_FAULTS, ...INDEPENDENT_FAULTS.map((fault) => [fault])];
const CONCURRENT = [...BACKUP_FAULTS, ...AUDIT_FAULTS, ...INDEPENDENT_FAULTS];
const ALL = [...FAULTS, ...CONCURRENT, DATABASE_RESTORED, BACKUP_ENDED, ISSUER_UNREACHABLE];

let stage: Stage;
let prometheus: LivePrometheus;
let watch: AlertWatch;
let stopCallers = async (): Promise<void> => {};
const beside = new Map<Fault, Promise<void>>();
const all: FaultResult[] = [];

const played = async (fault: Fault): Promise<void> => {
  all.push(await runFault(fault, stage, watch));
};

const begin = (row: readonly Fault[]): void => {
  let before: Promise<unknown> = Promise.resolve();
  for (const fault of row) {
    if (fault.skipReason?.() !== undefined) continue;
    const result = before.then(() => played(fault));
    beside.set(fault, result);
    // The test of this fault reports its failure.
    before = result.catch(() => undefined);
  }
};

beforeAll(async () => {
  stage = await startStage();
  prometheus = await startPrometheus(stage.metricsPorts, FACTOR);
  watch = startAlertWatch(prometheus);
  stopCallers = stage.callers(4);
  await stage.createClazz();
  for (const row of ROWS) begin(row);
}, 240_000);

afterAll(async () => {
  if (watch !== undefined) console.log(reportFaults(all, watch));
  await watch?.end();
  await stopCallers();
  await prometheus?.end();
  await stage?.end();
}, 60_000);

describe('Every alert', () => {
  it('has a fault in this file', () => {
    expect(ALL.flatMap(({ alerts }) => alerts).toSorted()).toEqual(ALERTS.toSorted());
  });

  it.each(FAULTS)('fires when $about', TIMEOUT, played);
  it.for(CONCURRENT)('fires when $about', TIMEOUT, async (fault, { skip }) => {
    const reason = fault.skipReason?.();
    if (reason !== undefined) skip(reason);
    await beside.get(fault);
  });
  it.each([DATABASE_RESTORED, BACKUP_ENDED])('fires when $about', TIMEOUT, played);
  it(`fires when ${ISSUER_UNREACHABLE.about}`, TIMEOUT, async () => {
    await beside.get(ISSUER_UNREACHABLE);
  });

  it('is silent after all faults are repaired', { timeout: SILENT_MS + 60_000 }, async () => {
    await holdsWithin(() => watch.firing().length === 0, SILENT_MS);
    expect(watch.firing()).toEqual([]);
  });
});
