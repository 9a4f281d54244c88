import type { Api } from '../system/plain-api.ts';
import { healthStatus } from '../system/instance-health.ts';
import { pause } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

const PROBE_MS = 200;
const PROBE_TIMEOUT_MS = 500;
/** The request timeout. It is longer than any call may take. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Spreads requests over the gateways, like the proxy in front of them. */
export interface Balancer {
  api: Api;
  stop: () => Promise<void>;
}

/**
 * Sends requests only to gateways that are ready. Probes each every 200 ms and waits up to `patience` ms for its
 * answer.
 */
export const startBalancer = async (system: System, patience = PROBE_TIMEOUT_MS): Promise<Balancer> => {
  const gateways = system.instancesOf('gateway').map((one) => ({ one, api: system.apiOf(one), isReady: false }));
  const stopping = new AbortController();
  let next = 0;
  const probe = (): Promise<void[]> =>
    Promise.all(
      gateways.map(async (gateway) => {
        gateway.isReady = (await healthStatus(gateway.one, 'ready', patience)) === 200;
      }),
    );
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(PROBE_MS);
      await probe();
    }
  };
  await probe();
  const watching = watch();
  return {
    api: (ask) => {
      const ready = gateways.filter(({ isReady }) => isReady);
      const candidates = ready.length > 0 ? ready : gateways;
      const chosen = candidates[(next += 1) % candidates.length];
      if (chosen === undefined) throw new Error('the system has no gateway');
      return chosen.api({ timeout: REQUEST_TIMEOUT_MS, ...ask });
    },
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
