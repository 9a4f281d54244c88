import { holdsWithin, pause } from './poll.ts';
import type { ProxiedInstance } from './proxied-instances.ts';

/** The HTTP status of a health check; 0 when the instance does not answer. */
export const healthStatus = async (
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

/**
 * Whether the instance takes requests: its readiness is 200, or it logged "serving" in a release without health checks.
 */
const hasJoined = async (one: ProxiedInstance): Promise<boolean> => {
  const status = await healthStatus(one, 'ready');
  return status === 200 || (status === 0 && one.logSinceStart().includes('"serving"'));
};

export const hasJoinedWithin = (one: ProxiedInstance, within: number): Promise<boolean> =>
  holdsWithin(() => hasJoined(one), within);

const LOG_CHARACTERS = 600;

/** The reason why an instance has not joined within `within` ms, from its health and log; `undefined` when it has. */
export const reasonNotJoined = async (one: ProxiedInstance, within: number): Promise<string | undefined> => {
  if (await hasJoinedWithin(one, within)) return undefined;
  const state = one.isRunning() ? `its readiness is ${await healthStatus(one, 'ready')}` : 'its process has ended';
  return `${one.name} has not joined: ${state}; its log ends with: ${one.logSinceStart().trim().slice(-LOG_CHARACTERS) || '(empty)'}`;
};

const TIMEOUT_MS = 60_000;

/** Resolves when a newly started instance has joined or reports by its readiness that it is not ready. */
export const waitForJoinOrReason = async (one: ProxiedInstance): Promise<void> => {
  await holdsWithin(async () => (await hasJoined(one)) || (await healthStatus(one, 'ready')) === 503, TIMEOUT_MS);
  // An instance that was ready only for a moment loses its readiness in this second.
  await pause(1_000);
};
