import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { startGateway } from './gateway.ts';
import { headOf, openRawConnection, statusOn } from './raw-http.ts';

const CALL_TIMEOUT_MS = 2_000;
const LIST = '/api/v1/clazz/course-package/list/my';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** The whole process does nothing, as if it was frozen. */
const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

it('counts what came while the gateway stood still as asked when that began', async () => {
  const gateway = await startGateway(fixture, { CALL_TIMEOUT_MS: String(CALL_TIMEOUT_MS) });
  const authorization = `authorization: Bearer ${fixture.token({ role: 'TEACHER' })}`;
  const ask = async (still_ms: number): Promise<number> => {
    const line = await openRawConnection(gateway.address);
    line.socket.write(headOf(`GET ${LIST}`, authorization, 'connection: close'));
    standStill(still_ms);
    return statusOn(line);
  };
  await expect.poll(() => ask(0)).toBe(200);
  // Asked so long ago, it would have been answered by now.
  await expect.poll(() => ask(2 * CALL_TIMEOUT_MS)).toBe(504);
  // What is read in the first moments after it counts as well; and the services of the test stood still, too.
  await expect.poll(() => ask(0)).toBe(200);
  await gateway.stop();
});
