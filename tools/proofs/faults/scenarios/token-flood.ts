import { randomUUID } from 'node:crypto';
import { measureWhileDisturbed } from '../peer-latency.ts';
import { removePoison, grantHours, msUntilShown, addPoison, tablesOfStudents } from '../poison-events.ts';
import { pause } from '../../system/poll.ts';
import type { ScenarioResult, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, createRequestKinds, kindsMatching, startTraffic, failureSummary } from '../traffic.ts';

const RATE = 50;
const FLOOD = 99;
const ORDINARY = 40;
const SHOWN_MS = 20_000;
const RAISE = "raise exception 'poisoned' using errcode = 'check_violation'";

/** Reads with a token at the given rate. Returns a function that stops them and summarizes the answers. */
const startTokenReads = ({ api }: System, org: string, rate: number, seen: () => string) => {
  const path = '/clazz/stats/my-lessons?student_id=s1';
  const traffic = startTraffic({ 'read stats': () => api({ path, org, consistencyToken: seen() }) }, rate);
  return async (): Promise<string> => {
    const shots = await traffic.stop();
    return `theirs: ${shots.filter(isSuccess).length} of ${shots.length} answered, ${failureSummary(shots)}`;
  };
};

const tokenOf = async ({ api }: System, org: string, student_id: string): Promise<string> => {
  const { token } = await api({ method: 'POST', path: '/clazz/hour/grant', org, body: { student_id, hours: '1.00' } });
  if (token === undefined) throw new Error('the answer to a write has no token');
  return token;
};

/** Reads with the token of a write whose event became a dead letter. Such a read waits in vain. */
const readDeadLetterToken = async (system: System): Promise<ScenarioResult> => {
  const [org, other] = [randomUUID(), randomUUID()];
  const kinds = kindsMatching(await createRequestKinds(system.api, other), 'stats');
  await addPoison(system, org, 'dead%', RAISE);
  const token = await tokenOf(system, org, 'dead-1');
  // The event of another student that is shown afterwards proves that the first event became a dead letter.
  await grantHours(system, org, 'alive');
  await msUntilShown(system, org, 'alive', '2.00', SHOWN_MS);
  const { ok, line } = await measureWhileDisturbed({ kinds, rate: RATE }, async () =>
    startTokenReads(system, org, FLOOD, () => token),
  );
  await removePoison(system);
  return { ok, line: `${FLOOD} a second with a token never included: another org's ${line}` };
};

/** A lock blocks the projector while clients read with tokens of new writes. */
const readWhileBlocked = async (system: System): Promise<ScenarioResult> => {
  const [org, other] = [randomUUID(), randomUUID()];
  const kinds = kindsMatching(await createRequestKinds(system.api, other), 'stats');
  const tables = (await tablesOfStudents(system)).join(', ');
  const { ok, line } = await measureWhileDisturbed({ kinds, rate: RATE }, async () => {
    // The lock does not block readers, only the writes of the projector.
    const release = await system.statsPostgres.holdTransaction(`lock table ${tables} in exclusive mode`);
    const tokens = [await tokenOf(system, org, 's1')];
    const writing = setInterval(
      () =>
        void tokenOf(system, org, 's1').then(
          (token) => tokens.push(token),
          () => undefined,
        ),
      500,
    );
    const stopReads = startTokenReads(system, org, ORDINARY, () => tokens.at(-1) ?? '');
    return async () => {
      clearInterval(writing);
      const summary = await stopReads();
      await release();
      await pause(2_000);
      return summary;
    };
  });
  return { ok, line: `${ORDINARY} a second while the projector is blocked: another org's ${line}` };
};

export const tokenFlood: Scenario = {
  name: 'token-flood',
  about: 'clients wait for writes that are never included: another organization reads as fast as before',
  system: { direct: true },
  run: async (system) => {
    const found = [await readDeadLetterToken(system), await readWhileBlocked(system)];
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
  },
};
