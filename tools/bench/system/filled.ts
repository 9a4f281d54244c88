import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Undo } from '@teaching/local/runner.ts';
import { fillSchools, orgOf } from '../../test/growth/seed.ts';
import { KEPT } from './checkout.ts';
import { copyData, startSystem } from './system.ts';

const STUDENTS = 1_000;
const PACKAGES = 250;
/** What the rows depend on: tables, and what fills them. */
const MADE_OF = ['services/*/src/db/*.ts', 'tools/test/growth/seed*.ts', 'package-lock.json'];

const fingerprint = (checkout: string): string => {
  const hash = createHash('sha256');
  for (const file of globSync(MADE_OF, { cwd: checkout }).toSorted()) hash.update(readFileSync(join(checkout, file)));
  return hash.digest('hex').slice(0, 12);
};

/**
 * The folder of a system's data with so many schools of 1,000 students, filled by SQL. It is made once for each state of the tables and stays in
 * `.local/bench`; an interrupted run leaves no half of it.
 */
export const filledWith = async (schools: number, checkout: string, undo: Undo): Promise<string> => {
  const folder = join(KEPT, `schools-${schools}-${fingerprint(checkout)}`);
  if (existsSync(folder)) return folder;
  const half = `${folder}.${process.pid}`;
  undo(() => rmSync(half, { recursive: true, force: true }));
  const system = await startSystem('to fill', checkout, undo);
  const all = Array.from({ length: schools }, (_, n) => ({ org_id: orgOf(n), students: STUDENTS, wide: PACKAGES }));
  await system.end((url) => fillSchools(url, all));
  mkdirSync(half, { recursive: true });
  await copyData(system.dataDir, half);
  renameSync(half, folder);
  return folder;
};
