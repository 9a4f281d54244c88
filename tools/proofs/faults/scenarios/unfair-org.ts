import { randomUUID } from 'node:crypto';
import { textAt } from '../../system/plain-api.ts';
import { measureWhileDisturbed } from '../peer-latency.ts';
import { LESSONS, makeBigSchool } from '../big-school.ts';
import type { ScenarioOptions, ScenarioResult, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  isSuccess,
  createRequestKinds,
  type RequestResult,
  startCallers,
  startReaders,
  failureSummary,
} from '../traffic.ts';

const WRITERS = 12;
const READERS = 6;
const RATE = 50;
const TIMEOUT_MS = 20_000;

/** Returns a function that stops the callers and summarizes their answers. */
const stopAndSummarize =
  (traffic: { stop: () => Promise<readonly RequestResult[]> }): (() => Promise<string>) =>
  async () => {
    const shots = await traffic.stop();
    return `theirs: ${shots.filter(isSuccess).length} of ${shots.length} done, ${failureSummary(shots)}`;
  };

/** Many writers of one organization wait for the same locked row. */
const crowdLockedRow = async (system: System): Promise<ScenarioResult> => {
  const { api, postgres } = system;
  const [org, other] = [randomUUID(), randomUUID()];
  const made = await api({ method: 'POST', path: '/clazz', org, body: { name: 'One', lead_teacher_id: 't1' } });
  const id = textAt(made.body, 'id');
  const change = (n: number) => api({ method: 'PATCH', path: `/clazz/${id}`, org, body: { name: `One ${n}` } });
  const kinds = Object.fromEntries(
    Object.entries(await createRequestKinds(api, other)).filter(([name]) => name.includes('clazz')),
  );
  const { ok, line } = await measureWhileDisturbed({ kinds, rate: RATE }, async () => {
    const release = await postgres.holdTransaction('select from clazz.clazz where org_id = $1 and id = $2 for update', [
      org,
      id,
    ]);
    const stopWriters = stopAndSummarize(startCallers({ 'write one': change }, WRITERS));
    return async () => {
      await release();
      return stopWriters();
    };
  });
  return { ok, line: `${WRITERS} writers on a locked row: another org's ${line}` };
};

/** Several readers of one organization repeat the heaviest reads without pause. */
const repeatHeavyReads = async (system: System, service: 'clazz' | 'stats'): Promise<ScenarioResult> => {
  const { api, tokenOf } = system;
  const [org, other] = [randomUUID(), randomUUID()];
  const address = system.instancesOf('gateway')[0]?.address ?? '';
  const { figures, trail } = await makeBigSchool(api, org);
  const path = service === 'clazz' ? trail : figures(LESSONS);
  const kinds = Object.fromEntries(
    Object.entries(await createRequestKinds(api, other)).filter(([name]) => name.includes(service)),
  );
  const { ok, line } = await measureWhileDisturbed({ kinds, rate: RATE }, async () =>
    stopAndSummarize(startReaders({ address, token: tokenOf(org), path, callers: READERS, patience: TIMEOUT_MS })),
  );
  return { ok, line: `${READERS} heaviest reads of ${service}: another org's ${line}` };
};

const runUnfair = async (system: System, { short }: ScenarioOptions): Promise<ScenarioResult> => {
  const found = [await crowdLockedRow(system)];
  if (!short) found.push(await repeatHeavyReads(system, 'clazz'), await repeatHeavyReads(system, 'stats'));
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const unfairOrg: Scenario = {
  name: 'unfair-org',
  about: 'an organization crowds on a locked row, then repeats its heaviest reads: another one is as fast as before',
  system: { direct: true },
  run: runUnfair,
};
