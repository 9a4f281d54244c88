import { setTimeout as sleep } from 'node:timers/promises';
import { assert, vi } from 'vitest';
import { auditCalls } from '../../../libs/contracts/src/index.ts';
import { waitUntilCaughtUp } from './wait-caught-up.ts';
import type { Contents } from './contents.ts';
import type { Fixture } from './fixture.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** Longer than anybody in the house lets pass between two looks. */
const A_LOOK_MS = 700;

/** What `look` sees once what was told has reached the trail and the statistics, and nothing moves any more. */
export const contentsAtRest = async (fixture: Fixture, look: () => Promise<Contents>): Promise<Contents> => {
  const boss = fixture.as({ role: 'SUPERVISOR' });
  await waitUntilCaughtUp(fixture);
  await vi.waitFor(async () => assert((await boss.ok(auditCalls.getAuditLogHead)).complete), POLL_OPTIONS);
  let contents = await look();
  for (let last = ''; JSON.stringify(contents) !== last; contents = await look()) {
    last = JSON.stringify(contents);
    await sleep(A_LOOK_MS);
  }
  return contents;
};
