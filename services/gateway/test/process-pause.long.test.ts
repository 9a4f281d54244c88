import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { startGateway } from './gateway.ts';
import { requestHead, openRawConnection, firstStatus } from './raw-http.ts';

const CALL_TIMEOUT_MS = 2_000;
const LIST = '/api/v1/clazz/course-package/list/my';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** Blocks the whole process, as if it were frozen. */
const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

it('counts the deadline of requests that arrive during a process pause from its start', async () => {
  const gateway = await startGateway(fixture, { CALL_TIMEOUT_MS: String(CALL_TIMEOUT_MS) });
  const authorization = `authorization: Bearer ${fixture.token({ role: 'TEACHER' })}`;
  const ask = async (still_ms: number): Promise<number> => {
    const line = await openRawConnection(gateway.address);
    line.socket.write(requestHead(`GET ${LIST}`, authorization, 'connection: close'));
    standStill(still_ms);
    return firstStatus(line);
  };
  await expect.poll(() => ask(0)).toBe(200);
  // With a deadline from the start of the pause it has already expired.
  await expect.poll(() => ask(2 * CALL_TIMEOUT_MS)).toBe(504);
  // Requests read shortly after the pause count too; the services of the test were also paused.
  await expect.poll(() => ask(0)).toBe(200);
  await gateway.stop();
});
