import type { Api } from '../system/plain-api.ts';
import { health } from '../system/instance-health.ts';
import { pause } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

const LOOK_MS = 200;
const PATIENCE_MS = 500;
/** Longer than any call may take. */
const CALLERS_MS = 15_000;

/** Spreads requests over the gateways, as what stands before them does. */
export interface Balancer {
  api: Api;
  stop: () => Promise<void>;
}

/** Sends to a gateway only while it says that it is ready, within `patience`, asked every 200 ms. Connections are kept open. */
export const startBalancer = async (system: System, patience = PATIENCE_MS): Promise<Balancer> => {
  const gateways = system.of('gateway').map((one) => ({ one, api: system.apiOf(one), isReady: false }));
  const stopping = new AbortController();
  let turn = 0;
  const look = (): Promise<void[]> =>
    Promise.all(
      gateways.map(async (gateway) => {
        gateway.isReady = (await health(gateway.one, 'ready', patience)) === 200;
      }),
    );
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_MS);
      await look();
    }
  };
  await look();
  const watching = watch();
  return {
    api: (ask) => {
      const ready = gateways.filter(({ isReady }) => isReady);
      const able = ready.length > 0 ? ready : gateways;
      const chosen = able[(turn += 1) % able.length];
      if (chosen === undefined) throw new Error('There is no gateway');
      return chosen.api({ patience: CALLERS_MS, ...ask });
    },
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
