import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

/** DATA_DIR, by default `.data` in the checkout, wherever the command is run from. */
export const dataDirFrom = (env: Record<string, string | undefined>): string =>
  resolve(CHECKOUT, env['DATA_DIR'] || '.data');

/** Others may traverse the folder, because Postgres runs as its own user under root, but not list it. */
export const makeDataDir = (dataDir: string): void => {
  if (existsSync(dataDir)) return;
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o711);
};
