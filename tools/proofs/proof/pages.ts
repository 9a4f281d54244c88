import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { keysIn } from '@teaching/local/keys.ts';
import { WITH_HEAP_REPORT } from '../faults/process-memory.ts';
import { startHolder } from '../pages/held-pages.ts';
import { cpuPercents, measurePerson, memoryKib, tokensOfPeople, warmUp } from '../pages/page-costs.ts';
import { pause, waitFor } from '../system/poll.ts';
import { OWN_CHECKOUT, type System } from '../system/start-system.ts';
import { onSystems } from './on-systems.ts';
import type { Proof, ProofOptions } from './proof.ts';

const PAGES = 10_000;
/** Limits. */
const KIB_PER_PAGE = 12;
const CPU_PERCENT = 1;
const P99_FACTOR = 2;

const SETTLE_MS = 3_000;
/** After many connections V8 collects garbage for some time, also while nothing happens. */
const QUIET_MS = 30_000;
/** A minute: the relations of all viewers are requested once a minute. */
const IDLE_MS = 60_000;
const CHANGE_EVERY_MS = 1_000;
const ARRIVAL_MS = 10_000;

const ENV = {
  ...WITH_HEAP_REPORT,
  // One organization may have half of the streams.
  MAX_STREAMS: String(2 * PAGES),
  MAX_CONNECTIONS_PER_ADDRESS: String(PAGES),
};

const within = (what: string, value: number, most: number): string | undefined =>
  value <= most ? undefined : `${what}: ${value.toFixed(2)}, at most ${most} allowed`;

const measurePages = async (system: System, log: ProofOptions['log']): Promise<void> => {
  const [busy, empty] = system.instancesOf('gateway');
  if (busy === undefined || empty === undefined) throw new Error('the proof needs two gateways');
  const gateways = [empty, busy] as const;
  const org = randomUUID();
  const keys = keysIn(dirname(busy.env['JWKS_FILE'] ?? ''));
  const port = Number(new URL(busy.address).port);
  const holder = startHolder();
  try {
    await warmUp(system, gateways);
    await holder.open({ port, tokens: tokensOfPeople(keys, org, PAGES) });
    await pause(SETTLE_MS);
    const [without, withPages] = [await memoryKib(system, empty), await memoryKib(system, busy)];
    const kib = (withPages - without) / PAGES;
    log(`memory: ${kib.toFixed(1)} KiB for each open page`);

    await pause(QUIET_MS);
    const clazz = system.instancesOf('clazz');
    const [cpuEmpty = Number.NaN, cpuBusy = Number.NaN, cpuClazz = Number.NaN] = await cpuPercents(
      [...gateways, ...clazz],
      IDLE_MS,
    );
    const cpu = cpuBusy - cpuEmpty;
    log(`CPU: ${cpu.toFixed(2)} % of a core while nothing happens (class service ${cpuClazz.toFixed(2)} %)`);

    const idle = await measurePerson(system, gateways);
    log(`p99 of a person: ${idle.without.toFixed(1)} → ${idle.withPages.toFixed(1)} ms while nothing happens`);

    const api = system.apiOf(empty);
    const before = (await holder.count()).changes;
    let changes = 0;
    const change = async (): Promise<void> => {
      const { status } = await api({ method: 'POST', path: '/ws/course-category', org, body: { name: randomUUID() } });
      if (status === 201) changes += 1;
    };
    const told = await measurePerson(system, gateways, { run: change, every_ms: CHANGE_EVERY_MS });
    log(
      `p99 of a person: ${told.without.toFixed(1)} → ${told.withPages.toFixed(1)} ms while ${PAGES / 2} pages receive a change each second`,
    );
    const expected = before + (changes * PAGES) / 2;
    const hasArrived = async (): Promise<boolean> => (await holder.count()).changes >= expected;
    await waitFor('every page of staff has received every change', hasArrived, ARRIVAL_MS);
    const { open } = await holder.count();

    const failures = [
      within('KiB for each page', kib, KIB_PER_PAGE),
      within('percent of a core', cpu, CPU_PERCENT),
      within('factor of p99 while nothing happens', idle.withPages / idle.without, P99_FACTOR),
      within('factor of p99 beside changes', told.withPages / told.without, P99_FACTOR),
      open === PAGES ? undefined : `${PAGES - open} pages were closed`,
    ].filter((failure) => failure !== undefined);
    if (failures.length > 0) throw new Error(failures.join('; '));
  } finally {
    holder.close();
  }
};

/** Opens 10,000 pages of different people of one organization at one of two gateways. The other one is the measure. */
export const pages: Proof = {
  name: 'pages',
  about: `${PAGES} open pages cost ${KIB_PER_PAGE} KiB each and ${CPU_PERCENT} % of a core, and at most double a person's p99 (quiet machine)`,
  minutes: 4,
  count: 1,
  run: ({ count, ...options }) => {
    const system = { checkout: OWN_CHECKOUT, direct: true, instances: { gateway: 2 }, env: ENV };
    return onSystems(
      Array.from({ length: count }, () => system),
      options,
      (one) => measurePages(one, options.log),
    );
  },
};
