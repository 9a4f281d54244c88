import { globSync } from 'node:fs';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';
import type { Env } from '@teaching/local/service-env.ts';

/**
 * Environment variables that shift the wall clock of a program by some seconds and leave its monotonic clock as it is.
 * They have no effect on programs in Go such as nats-server, which read the clock without the C library.
 */
export const shiftedClock = async (seconds: number): Promise<Env> => {
  const [library] = globSync(`${await unpackedFromDebian('libfaketime')}/usr/lib/*/faketime/libfaketime.so.1`);
  if (library === undefined) throw new Error('the package libfaketime has no library');
  const faketime = `${seconds < 0 ? '' : '+'}${seconds}s`;
  return { LD_PRELOAD: library, FAKETIME: faketime, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
};
