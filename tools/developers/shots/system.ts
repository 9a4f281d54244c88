import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Keys, keysIn } from '@teaching/local/keys.ts';
import { freePort } from '@teaching/local/ports.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import { run, type Undo } from '@teaching/local/runner.ts';
import { addressOf, settingsFrom } from '@teaching/local/settings.ts';
import { makeDemoSchool } from '../school/demo-school.ts';

const SERVICES_DIR = fileURLToPath(new URL('../../../services', import.meta.url));
const HOST = '127.0.0.1';

/** The console's address, and the keys that its system trusts. */
export interface Shown {
  address: string;
  keys: Keys;
}

/** The system that `npm start` runs with the same DATA_DIR. */
export const runningSystem = (address: string): Shown => ({ address, keys: keysIn(settingsFrom(process.env).dataDir) });

/** A system with the demo school, which is removed afterwards. */
export const ownSystem = async (undo: Undo): Promise<Shown> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-shots-'));
  // Postgres may run as its own user.
  chmodSync(dataDir, 0o711);
  undo(() => removeDataDir(dataDir));
  const port = await freePort();
  const settings = settingsFrom({ HOST, PORT: String(port), DATA_DIR: dataDir });
  const { keys } = await run({ settings, servicesDir: SERVICES_DIR, env: process.env, undo });
  const address = addressOf(settings);
  await makeDemoSchool(address, keys);
  return { address, keys };
};
