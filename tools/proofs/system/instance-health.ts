import { holdsWithin, pause } from './poll.ts';
import type { ProxiedInstance } from './proxied-instances.ts';

/** What an instance says of itself, as a status; 0 when it does not answer. */
export const health = async (
  { address }: ProxiedInstance,
  what: 'live' | 'ready',
  patience = 1_000,
): Promise<number> => {
  try {
    const { status } = await fetch(`${address}/health/${what}`, { signal: AbortSignal.timeout(patience) });
    return status;
  } catch {
    return 0;
  }
};

/** Whether it takes requests: it says so by its health; one of a release without health has said that it serves. */
const hasJoined = async (one: ProxiedInstance): Promise<boolean> => {
  const status = await health(one, 'ready');
  return status === 200 || (status === 0 && one.said().includes('"serving"'));
};

export const joined = (one: ProxiedInstance, within: number): Promise<boolean> =>
  holdsWithin(() => hasJoined(one), within);

const LAST_WORDS = 600;

/** Why one does not take part after some time, as far as it says so itself; undefined when it does. */
export const reasonNotJoined = async (one: ProxiedInstance, within: number): Promise<string | undefined> => {
  if (await joined(one, within)) return undefined;
  const state = one.isRunning() ? `its health says ${await health(one, 'ready')}` : 'it has ended';
  return `${one.name} is not back: ${state}, and it said: ${one.said().trim().slice(-LAST_WORDS) || 'nothing'}`;
};

const CHANCE_MS = 60_000;

/** Resolves when a newly started one has had its chance: it has joined, or it says by its health that it does not. */
export const waitForJoinOrReason = async (one: ProxiedInstance): Promise<void> => {
  await holdsWithin(async () => (await hasJoined(one)) || (await health(one, 'ready')) === 503, CHANCE_MS);
  // What was ready for a moment only shows it by now; what is not stays so.
  await pause(1_000);
};
