import { execFile } from 'node:child_process';
import { arch, cpus, loadavg, type as typeOfSystem } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { serviceConfig } from '../../../../libs/kit/src/ops/config.ts';
import { connectionsOf } from '../../../../libs/kit/src/ops/parts.ts';
import { startGenerator } from '../../bench/load/generator.ts';
import { catchUp } from '../../bench/measure/backlog.ts';
import { openSite, type Site } from '../../bench/site/site.ts';
import { checkoutsOf } from '../../bench/system/checkout.ts';
import { startSystem, type System } from '../../bench/system/system.ts';
import type { Undo } from '@teaching/local/runner.ts';
import { Figures } from '../figures.ts';
import { KIND_NAMES, KINDS, type KindName } from '../kinds.ts';
import { leaderCosts } from './leader.ts';
import { storedByMaking } from './made.ts';
import { memoryOf } from './memory.ts';
import { idleShares } from './parts.ts';
import { cpuOf } from './requests.ts';
import { connectionCount, rowBytes } from './rows.ts';
import { storedBy } from './stored.ts';
import { verifyRate } from './verify.ts';

const LED: readonly KindName[] = ['my_week', 'class', 'timetable', 'change', 'roll_call'];
const BACKLOG = { rollCalls: 1_500, connections: 16 };
/** What an instance opens when it is told nothing else. */
const { DATABASE_POOL, DATABASE_LANES } = serviceConfig.shape;
const POOLS = { DATABASE_POOL: DATABASE_POOL.parse(undefined), DATABASE_LANES: DATABASE_LANES.parse(undefined) };

const Version = z.tuple([z.object({ server_version: z.string() })]);

const whereAndWhen = async ({ sql }: System): Promise<Figures['measured']> => {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD']);
  const [{ server_version }] = Version.parse(await sql('show server_version'));
  const [first] = cpus();
  return {
    commit: stdout.trim(),
    at: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${first?.model.trim()}, ${arch()}), ${typeOfSystem()}`,
    load: Math.round(loadavg()[2] ?? 0),
    versions: `Node ${process.versions.node}, Postgres ${server_version.split(' ')[0]}`,
  };
};

const storedByKind = async ({ system, prepare, run }: Site, kind: KindName): Promise<Figures['stored']> => {
  const { load, stored: count } = KINDS[kind];
  if (count === undefined) return {};
  const plan = { connections: 16, count };
  return {
    [kind]: await storedBy(
      system,
      kind,
      count,
      () => prepare(load, plan),
      () => run(load, plan),
    ),
  };
};

/** Starts a system of its own and measures everything that sizes are made of; takes ten minutes. */
export const measureFigures = async (say: (what: string) => void, undo: Undo): Promise<Figures> => {
  const [[name, checkout] = ['', '']] = await checkoutsOf(undefined);
  say('starting a system');
  const system = await startSystem(name, checkout, undo);
  const site = openSite(system, startGenerator(undo));
  const idle = await idleShares(system.roots());
  const cpu_us: Partial<Figures['cpu_us']> = {};
  for (const kind of KIND_NAMES) {
    say(`CPU of ${KINDS[kind].about}`);
    cpu_us[kind] = await cpuOf(site, kind, idle);
  }
  const memory_mb = memoryOf(system.roots());
  const of_four = await connectionCount(system);
  const stored: Figures['stored'] = {};
  for (const kind of KIND_NAMES) {
    if (KINDS[kind].stored !== undefined) say(`bytes of ${KINDS[kind].about}`);
    Object.assign(stored, await storedByKind(site, kind));
  }
  say('what leading costs');
  const leader_us = await leaderCosts(site, LED, undo, say);
  say('statistics that catch up');
  const { rollCalls, seconds } = await catchUp(site, BACKLOG, []);
  say('trails that are recomputed');
  const verify = await verifyRate(system);
  say('bytes of lessons and enrolments');
  const made = await storedByMaking(system);
  const row_bytes = await rowBytes(system);
  return Figures.parse({
    measured: await whereAndWhen(system),
    cpu_us,
    leader_us,
    stored,
    made,
    catch_up: { roll_calls_per_s: Math.round(rollCalls / seconds) },
    verify,
    idle_share: idle,
    memory_mb,
    connections: { at_most: connectionsOf(POOLS), of_four },
    row_bytes,
  });
};
