import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivePrometheus, startPrometheus } from '../system/prometheus.ts';
import { holdsWithin } from '../system/poll.ts';
import { type Fault, playFault, type FaultResult, reportFaults } from './alerts/alert-fault.ts';
import { FAULTS, ISSUER, PUT_BACK } from './alerts/faults.ts';
import { BACKUP_GONE, BESIDE, OF_THE_BACKUP, OF_THE_TRAIL } from './alerts/faults-beside.ts';
import { type Stage, startStage } from './alerts/alert-stage.ts';
import { startWatch, type Watch } from './alerts/watch.ts';

// Each alert is made to fire by what it is about, in real processes that a real Prometheus asks. All times of the rules are a
// twentieth of what they are.
const FACTOR = 20;
const PATIENCE = { timeout: 400_000 };
/** The longest window that must be clean again is half an hour. */
const SILENT_MS = (30 * 60_000) / FACTOR + 60_000;

const rules = readFileSync(fileURLToPath(new URL('../../../deploy/observability/alerts.yml', import.meta.url)), 'utf8');
const ALERTS = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
/** What goes on beside the others from the beginning, each row one after the other. */
const ROWS = [[ISSUER], OF_THE_BACKUP, OF_THE_TRAIL, ...BESIDE.map((fault) => [fault])];
const DONE_BESIDE = [...OF_THE_BACKUP, ...OF_THE_TRAIL, ...BESIDE];
const ALL = [...FAULTS, ...DONE_BESIDE, PUT_BACK, BACKUP_GONE, ISSUER];

let stage: Stage;
let prometheus: LivePrometheus;
let watch: Watch;
let stopVisitors = async (): Promise<void> => {};
const beside = new Map<Fault, Promise<void>>();
const all: FaultResult[] = [];

const played = async (fault: Fault): Promise<void> => {
  all.push(await playFault(fault, stage, watch));
};

const begin = (row: readonly Fault[]): void => {
  let before: Promise<unknown> = Promise.resolve();
  for (const fault of row) {
    if (fault.whyNot?.() !== undefined) continue;
    const mine = before.then(() => played(fault));
    beside.set(fault, mine);
    // Its own test tells what came of it.
    before = mine.catch(() => undefined);
  }
};

beforeAll(async () => {
  stage = await startStage();
  prometheus = await startPrometheus(stage.metricsPorts, FACTOR);
  watch = startWatch(prometheus);
  stopVisitors = stage.callers(4);
  await stage.createClazz();
  for (const row of ROWS) begin(row);
}, 240_000);

afterAll(async () => {
  if (watch !== undefined) console.log(reportFaults(all, watch));
  await watch?.end();
  await stopVisitors();
  await prometheus?.end();
  await stage?.end();
}, 60_000);

describe('every alert', () => {
  it('is about something that is done here', () => {
    expect(ALL.flatMap(({ alerts }) => alerts).toSorted()).toEqual(ALERTS.toSorted());
  });

  it.each(FAULTS)('fires: $about', PATIENCE, played);
  it.for(DONE_BESIDE)('fires: $about', PATIENCE, async (fault, { skip }) => {
    const why = fault.whyNot?.();
    if (why !== undefined) skip(why);
    await beside.get(fault);
  });
  it.each([PUT_BACK, BACKUP_GONE])('fires: $about', PATIENCE, played);
  it(`fires: ${ISSUER.about}`, PATIENCE, async () => {
    await beside.get(ISSUER);
  });

  it('falls silent when that is over', { timeout: SILENT_MS + 60_000 }, async () => {
    await holdsWithin(() => watch.firing().length === 0, SILENT_MS);
    expect(watch.firing()).toEqual([]);
  });
});
