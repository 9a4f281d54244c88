import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

/** DATA_DIR, by default `.data` in the checkout, wherever the command is run from. */
export const dataDirFrom = (env: Record<string, string | undefined>): string =>
  resolve(CHECKOUT, env['DATA_DIR'] || '.data');

/** Others may walk through (Postgres runs as a user of its own under root), but not look around. */
export const makeDataDir = (dataDir: string): void => {
  if (existsSync(dataDir)) return;
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o711);
};
