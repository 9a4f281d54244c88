import { randomUUID } from 'node:crypto';
import { cure, grant, grantedTo, msUntilShown, poison, deadLetters } from '../poison-events.ts';
import { type Context, limitFor, type Outcome, type Scenario, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const RAISE = "raise exception 'poisoned' using errcode = 'check_violation'";
const ENOUGH_MS = 60_000;
/** What others may wait longer than usual. */
const LONGER_MS = 2_000;
const seconds = (ms: number | undefined): string =>
  ms === undefined ? `more than ${ENOUGH_MS / 1_000} s` : `${ms / 1_000} s`;

/** What a neighbour waits usually. */
const usual = async (system: System, org: string): Promise<number> => {
  await grant(system, org, 'first');
  const ms = await msUntilShown(system, org, 'first', '2.00', ENOUGH_MS);
  if (ms === undefined) throw new Error('statistics show nothing even before the fault');
  return ms;
};

/** Ten events of one org fail, then somebody of another org waits for hers; so does the namesake of one of the ten. */
const neighbours = async (system: System, context: Context): Promise<Outcome> => {
  const [bad, good] = [randomUUID(), randomUUID()];
  const before = await usual(system, good);
  await poison(system, bad, 'twin%', RAISE);
  for (let n = 0; n < 10; n += 1) await grant(system, bad, `twin-${n}`);
  await grant(system, good, 'somebody');
  const ms = await msUntilShown(system, good, 'somebody', '2.00', ENOUGH_MS);
  await grant(system, good, 'twin-3');
  const twin = await msUntilShown(system, good, 'twin-3', '2.00', ENOUGH_MS);
  const aside = await deadLetters(system);
  if ((await grantedTo(system, bad, 'twin-3')) === '2.00') return { ok: false, line: 'the poison did not work' };
  await cure(system);
  const line = `a neighbour waits ${seconds(ms)} (usually ${seconds(before)}), the namesake ${twin === undefined ? 'for ever' : seconds(twin)}, ${aside} dead letters`;
  const ok =
    ms !== undefined &&
    ms <= before + limitFor(context, LONGER_MS) &&
    twin !== undefined &&
    twin <= before + limitFor(context, LONGER_MS);
  return { ok: ok && aside === 10, line: `${line}; ${logSummary(system)}` };
};

export const poisonNeighbour: Scenario = {
  name: 'poison-neighbour',
  about: 'ten events of one org cannot be applied; another org with a student of the same id goes on',
  story: neighbours,
};

/** One row that takes for ever. Whether it becomes a dead letter or waits: the others go on. */
const slow = async (system: System, context: Context): Promise<Outcome> => {
  const [bad, good] = [randomUUID(), randomUUID()];
  const before = await usual(system, good);
  await poison(system, bad, 'slow%', 'perform pg_sleep(100)');
  await grant(system, bad, 'slow-1');
  await grant(system, good, 'somebody');
  const ms = await msUntilShown(system, good, 'somebody', '2.00', ENOUGH_MS);
  const aside = await deadLetters(system);
  const line = `a neighbour waits ${seconds(ms)} (usually ${seconds(before)}), ${aside} dead letters; ${logSummary(system)}`;
  return { ok: ms !== undefined && ms <= before + limitFor(context, LONGER_MS), line };
};

export const slowPoison: Scenario = {
  name: 'slow-poison',
  about: 'one event of one org runs into the time limit; other orgs go on',
  story: slow,
};
