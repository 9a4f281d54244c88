import { randomUUID } from 'node:crypto';
import { textAt } from '../../system/plain-api.ts';
import { measureBeside } from '../peer-latency.ts';
import { LESSONS, makeBigSchool } from '../big-school.ts';
import type { Context, Outcome, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, kindsOf, type Shot, startCallers, startReaders, failureSummary } from '../traffic.ts';

const WRITERS = 12;
const READERS = 6;
const RATE = 50;
const PATIENCE_MS = 20_000;

/** Ends callers who ask without end, and tells what came of it. */
const endOf =
  (traffic: { stop: () => Promise<readonly Shot[]> }): (() => Promise<string>) =>
  async () => {
    const shots = await traffic.stop();
    return `theirs: ${shots.filter(isSuccess).length} of ${shots.length} done, ${failureSummary(shots)}`;
  };

/** All of one org want the same row, which somebody has locked. */
const lockedRow = async (system: System): Promise<Outcome> => {
  const { api, postgres } = system;
  const [org, other] = [randomUUID(), randomUUID()];
  const made = await api({ method: 'POST', path: '/clazz', org, body: { name: 'One', lead_teacher_id: 't1' } });
  const id = textAt(made.body, 'id');
  const change = (n: number) => api({ method: 'PATCH', path: `/clazz/${id}`, org, body: { name: `One ${n}` } });
  const kinds = Object.fromEntries(
    Object.entries(await kindsOf(api, other)).filter(([name]) => name.includes('clazz')),
  );
  const { ok, line } = await measureBeside({ kinds, rate: RATE }, async () => {
    const release = await postgres.hold('select from clazz.clazz where org_id = $1 and id = $2 for update', [org, id]);
    const rest = endOf(startCallers({ 'write one': change }, WRITERS));
    return async () => {
      await release();
      return rest();
    };
  });
  return { ok, line: `${WRITERS} writers on a locked row: another org's ${line}` };
};

/** Some of one org read everything there is, again and again. */
const widestReads = async (system: System, service: 'clazz' | 'stats'): Promise<Outcome> => {
  const { api, tokenOf } = system;
  const [org, other] = [randomUUID(), randomUUID()];
  const address = system.of('gateway')[0]?.address ?? '';
  const { figures, trail } = await makeBigSchool(api, org);
  const path = service === 'clazz' ? trail : figures(LESSONS);
  const kinds = Object.fromEntries(
    Object.entries(await kindsOf(api, other)).filter(([name]) => name.includes(service)),
  );
  const { ok, line } = await measureBeside({ kinds, rate: RATE }, async () =>
    endOf(startReaders({ address, token: tokenOf(org), path, callers: READERS, patience: PATIENCE_MS })),
  );
  return { ok, line: `${READERS} widest reads of ${service}: another org's ${line}` };
};

const unfair = async (system: System, { short }: Context): Promise<Outcome> => {
  const found = [await lockedRow(system)];
  if (!short) found.push(await widestReads(system, 'clazz'), await widestReads(system, 'stats'));
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const unfairOrg: Scenario = {
  name: 'unfair-org',
  about: 'one org crowds on a locked row, then reads all it has again and again; another org goes on as before',
  on: { direct: true },
  story: unfair,
};
