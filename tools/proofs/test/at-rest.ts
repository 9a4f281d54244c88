import { setTimeout as sleep } from 'node:timers/promises';
import { assert, vi } from 'vitest';
import { auditCalls } from '../../../libs/contracts/src/index.ts';
import { caughtUp } from './caught-up.ts';
import type { Contents } from './contents.ts';
import type { Fixture } from './fixture.ts';
import { SOON } from './soon.ts';

/** Longer than anybody in the house lets pass between two looks. */
const A_LOOK_MS = 700;

/** What `look` sees once what was told has reached the trail and the statistics, and nothing moves any more. */
export const atRest = async (fixture: Fixture, look: () => Promise<Contents>): Promise<Contents> => {
  const boss = fixture.as({ role: 'SUPERVISOR' });
  await caughtUp(fixture);
  await vi.waitFor(async () => assert((await boss.ok(auditCalls.getAuditLogHead)).complete), SOON);
  let contents = await look();
  for (let last = ''; JSON.stringify(contents) !== last; contents = await look()) {
    last = JSON.stringify(contents);
    await sleep(A_LOOK_MS);
  }
  return contents;
};
