import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '@teaching/local/lock.ts';
import { removeDataDir } from '@teaching/local/postgres-place.ts';
import type { Undo } from '@teaching/local/runner.ts';
import { fillSchools, orgOf } from '../../../proofs/test/growth/seed.ts';
import { KEPT } from './checkout.ts';
import { startSystem } from './system.ts';

/** Of each school: all of its 10,000 lessons are held, with ten marks. */
export const SCHOOL = { students: 1_000, wide: 250, items: 20, marked: 10, held: 50 };
/** What the rows depend on: tables, and what fills them. */
const MADE_OF = ['services/*/src/db/*.ts', 'tools/proofs/test/growth/seed*.ts', 'package-lock.json'];

const fingerprint = (checkout: string): string => {
  const hash = createHash('sha256');
  for (const file of globSync(MADE_OF, { cwd: checkout }).toSorted()) hash.update(readFileSync(join(checkout, file)));
  return hash.digest('hex').slice(0, 12);
};

const ours = new Set<string>();

/** Nobody else works with a folder, nor copies it, while we do. */
const claim = (folder: string, undo: Undo): string => {
  if (!ours.has(folder)) undo(lockFolder(join(folder, 'bench')));
  ours.add(folder);
  return folder;
};

/**
 * The folder of a system's data with so many schools, filled by SQL: ours for this run. It is made once for each state of
 * the tables and stays in `.local/bench`; an interrupted run leaves no half of it.
 */
export const filledWith = async (schools: number, checkout: string, undo: Undo, school = SCHOOL): Promise<string> => {
  const folder = join(KEPT, `schools-${schools}x${school.students}-${fingerprint(checkout)}`);
  if (existsSync(folder)) return claim(folder, undo);
  const half = `${folder}.${process.pid}`;
  undo(() => removeDataDir(half));
  const system = await startSystem('to fill', checkout, undo, { in: half });
  const all = Array.from({ length: schools }, (_, n) => ({ ...school, org_id: orgOf(n) }));
  await system.end((url) => fillSchools(url, all));
  renameSync(half, folder);
  return claim(folder, undo);
};
