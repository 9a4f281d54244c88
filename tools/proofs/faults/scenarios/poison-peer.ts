import { randomUUID } from 'node:crypto';
import {
  removePoison,
  grantHours,
  readGrantedHours,
  msUntilShown,
  addPoison,
  countDeadLetters,
} from '../poison-events.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const RAISE = "raise exception 'poisoned' using errcode = 'check_violation'";
const TIMEOUT_MS = 60_000;
/** The tolerated extra delay of other organizations in ms. */
const EXTRA_DELAY_MS = 2_000;
const seconds = (ms: number | undefined): string =>
  ms === undefined ? `more than ${TIMEOUT_MS / 1_000} s` : `${ms / 1_000} s`;

/** The usual delay in ms until statistics show a write. */
const usualDelay = async (system: System, org: string): Promise<number> => {
  await grantHours(system, org, 'first');
  const ms = await msUntilShown(system, org, 'first', '2.00', TIMEOUT_MS);
  if (ms === undefined) throw new Error('statistics show nothing even before the fault');
  return ms;
};

/**
 * Ten events of one organization fail. Another organization, also its student with the same id, must not wait for them.
 */
const failTenEvents = async (system: System, context: ScenarioOptions): Promise<ScenarioResult> => {
  const [bad, good] = [randomUUID(), randomUUID()];
  const before = await usualDelay(system, good);
  await addPoison(system, bad, 'twin%', RAISE);
  for (let n = 0; n < 10; n += 1) await grantHours(system, bad, `twin-${n}`);
  await grantHours(system, good, 'other');
  const ms = await msUntilShown(system, good, 'other', '2.00', TIMEOUT_MS);
  await grantHours(system, good, 'twin-3');
  const twin = await msUntilShown(system, good, 'twin-3', '2.00', TIMEOUT_MS);
  const letters = await countDeadLetters(system);
  if ((await readGrantedHours(system, bad, 'twin-3')) === '2.00')
    return { ok: false, line: 'the failing trigger had no effect' };
  await removePoison(system);
  const line = `another organization waits ${seconds(ms)} (usually ${seconds(before)}), its student with the same id ${twin === undefined ? 'for ever' : seconds(twin)}, ${letters} dead letters`;
  const ok =
    ms !== undefined &&
    ms <= before + limitFor(context, EXTRA_DELAY_MS) &&
    twin !== undefined &&
    twin <= before + limitFor(context, EXTRA_DELAY_MS);
  return { ok: ok && letters === 10, line: `${line}; ${logSummary(system)}` };
};

export const poisonPeer: Scenario = {
  name: 'poison-neighbour',
  about: 'ten events of one organization cannot be applied: another one with a student of the same id is not delayed',
  run: failTenEvents,
};

/** One row never finishes. Its event may become a dead letter or wait, but other organizations must not. */
const blockOneEvent = async (system: System, context: ScenarioOptions): Promise<ScenarioResult> => {
  const [bad, good] = [randomUUID(), randomUUID()];
  const before = await usualDelay(system, good);
  await addPoison(system, bad, 'slow%', 'perform pg_sleep(100)');
  await grantHours(system, bad, 'slow-1');
  await grantHours(system, good, 'other');
  const ms = await msUntilShown(system, good, 'other', '2.00', TIMEOUT_MS);
  const letters = await countDeadLetters(system);
  const line = `another organization waits ${seconds(ms)} (usually ${seconds(before)}), ${letters} dead letters; ${logSummary(system)}`;
  return { ok: ms !== undefined && ms <= before + limitFor(context, EXTRA_DELAY_MS), line };
};

export const slowPoison: Scenario = {
  name: 'slow-poison',
  about: 'one event of an organization runs into the time limit: other organizations are not delayed',
  run: blockOneEvent,
};
