import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromDebian } from './nats-server.mjs';
import { OWN_FOLDER } from './setup-paths.mjs';
import { suiteOptions } from './suites.mjs';
import { takeTurn } from './setup-lock.mjs';

/**
 * The nats-server of another suite of this distribution, e.g. `trixie`, unpacked into the checkout; nothing is installed. Throws an error
 * with the reason if it is not available.
 */
export const natsServerOfSuite = async (suite) => {
  const target = join(OWN_FOLDER, 'nats', suite, 'nats-server');
  if (existsSync(target)) return target;
  const endTurn = await takeTurn();
  try {
    if (existsSync(target)) return target;
    mkdirSync(dirname(target), { recursive: true });
    await fromDebian(target, suiteOptions(suite, target));
  } finally {
    endTurn();
  }
  return target;
};
