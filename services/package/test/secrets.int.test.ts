import { packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import type { RunningService } from '../../../libs/kit/src/index.ts';
import { start } from '../src/main.ts';

const PACKAGES = 4;
let fixture: Fixture;
const { teacher } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
});
afterAll(() => fixture?.stop());

it(
  'a signing secret is rotated under load, and no client that follows a cursor gets an error',
  { timeout: 60_000 },
  async () => {
    const env = fixture.envFor('package');
    const [old, next] = [env['SIGNING_SECRET'] ?? '', 'the next secret of at least thirty-two characters'];
    const startWith = (SIGNING_SECRET: string): Promise<RunningService> => start({ ...env, SIGNING_SECRET });
    let running = await startWith(old);
    for (let n = 0; n < PACKAGES; n += 1) await teacher().ok(packageCalls.createPackage, { body: { title: `P${n}` } });
    const page = (cursor?: string | null) =>
      teacher().outcome(packageCalls.listMyPackages, { query: { limit: '1', ...(cursor ? { cursor } : {}) } });
    const first = await page();
    const ofOld = first.code === 'done' ? first.body.next_cursor : null;

    const ending = new AbortController();
    const codes: string[] = [];
    const follow = async (): Promise<void> => {
      for (let cursor: string | null = null; !ending.signal.aborted;) {
        const outcome = await page(cursor);
        codes.push(outcome.code);
        cursor = outcome.code === 'done' ? outcome.body.next_cursor : null;
      }
    };
    const following = Promise.all([follow(), follow()]);
    const someMore = async (): Promise<void> => {
      const wanted = codes.length + 3 * PACKAGES;
      await expect.poll(() => codes.length).toBeGreaterThan(wanted);
    };
    for (const secrets of [`${old},${next}`, `${next},${old}`, next]) {
      await someMore();
      const another = await startWith(secrets);
      // Both instances serve for a while.
      await someMore();
      await running.stop();
      running = another;
    }
    await someMore();
    ending.abort();
    await following;
    expect(new Set(codes)).toEqual(new Set(['done']));
    // The old secret is no longer accepted.
    expect((await page(ofOld)).code).toBe('invalid_request');
    await running.stop();
  },
);
