import { setTimeout as sleep } from 'node:timers/promises';
import { assert, vi } from 'vitest';
import { auditCalls } from '../../../libs/contracts/src/index.ts';
import { waitUntilCaughtUp } from './wait-caught-up.ts';
import type { Contents } from './contents.ts';
import type { Fixture } from './fixture.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** Longer than the interval of any background job. */
const INTERVAL_MS = 700;

/** Returns the contents once audit log and statistics have caught up and two reads in a row are equal. */
export const contentsAtRest = async (fixture: Fixture, readContents: () => Promise<Contents>): Promise<Contents> => {
  const boss = fixture.as({ role: 'SUPERVISOR' });
  await waitUntilCaughtUp(fixture);
  await vi.waitFor(async () => assert((await boss.ok(auditCalls.getAuditLogHead)).complete), POLL_OPTIONS);
  let contents = await readContents();
  for (let last = ''; JSON.stringify(contents) !== last; contents = await readContents()) {
    last = JSON.stringify(contents);
    await sleep(INTERVAL_MS);
  }
  return contents;
};
