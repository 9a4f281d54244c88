import { randomUUID } from 'node:crypto';
import { measureBeside } from '../peer-latency.ts';
import { cure, grant, msUntilShown, poison, tablesOfStudents } from '../poison-events.ts';
import { pause } from '../../system/poll.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, kindsOf, only, startTraffic, failureSummary } from '../traffic.ts';

const RATE = 50;
const FLOOD = 99;
const ORDINARY = 40;
const SHOWN_MS = 20_000;
const RAISE = "raise exception 'poisoned' using errcode = 'check_violation'";

/** Reads with a token, as often as asked; answers how to stop them. */
const readers = ({ api }: System, org: string, rate: number, seen: () => string) => {
  const path = '/clazz/stats/my-lessons?student_id=s1';
  const traffic = startTraffic({ 'read stats': () => api({ path, org, seen: seen() }) }, rate);
  return async (): Promise<string> => {
    const shots = await traffic.stop();
    return `theirs: ${shots.filter(isSuccess).length} of ${shots.length} answered, ${failureSummary(shots)}`;
  };
};

const tokenOf = async ({ api }: System, org: string, student_id: string): Promise<string> => {
  const { token } = await api({ method: 'POST', path: '/clazz/hour/grant', org, body: { student_id, hours: '1.00' } });
  if (token === undefined) throw new Error('a write has no token');
  return token;
};

/** The token of a write whose event became a dead letter: waiting for it is waiting for ever. */
const neverIncluded = async (system: System): Promise<Outcome> => {
  const [org, other] = [randomUUID(), randomUUID()];
  const kinds = only(await kindsOf(system.api, other), 'stats');
  await poison(system, org, 'dead%', RAISE);
  const token = await tokenOf(system, org, 'dead-1');
  // What comes after it of somebody else shows that it was put aside.
  await grant(system, org, 'alive');
  await msUntilShown(system, org, 'alive', '2.00', SHOWN_MS);
  const { ok, line } = await measureBeside({ kinds, rate: RATE }, async () => readers(system, org, FLOOD, () => token));
  await cure(system);
  return { ok, line: `${FLOOD} a second with a token never included: another org's ${line}` };
};

/** The projector stands before a lock; tokens of writes of that time are asked with. */
const standing = async (system: System): Promise<Outcome> => {
  const [org, other] = [randomUUID(), randomUUID()];
  const kinds = only(await kindsOf(system.api, other), 'stats');
  const tables = (await tablesOfStudents(system)).join(', ');
  const { ok, line } = await measureBeside({ kinds, rate: RATE }, async () => {
    // Whoever reads is not in its way; whoever writes waits.
    const release = await system.statsPostgres.hold(`lock table ${tables} in exclusive mode`);
    const tokens = [await tokenOf(system, org, 's1')];
    const writing = setInterval(
      () =>
        void tokenOf(system, org, 's1').then(
          (it) => tokens.push(it),
          () => undefined,
        ),
      500,
    );
    const rest = readers(system, org, ORDINARY, () => tokens.at(-1) ?? '');
    return async () => {
      clearInterval(writing);
      const did = await rest();
      await release();
      await pause(2_000);
      return did;
    };
  });
  return { ok, line: `${ORDINARY} a second while the projector stands: another org's ${line}` };
};

export const tokenFlood: Scenario = {
  name: 'token-flood',
  about: 'readers wait for what never comes; another org reads as before',
  on: { direct: true },
  story: async (system) => {
    const found = [await neverIncluded(system), await standing(system)];
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
  },
};
