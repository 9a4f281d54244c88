import type { LivePrometheus } from '../../system/prometheus.ts';
import { pause } from '../../system/poll.ts';

const LOOK_MS = 500;

/** Who sees alerts come and go. All times are epoch milliseconds. */
export interface Watch {
  /** Names of those that fire. */
  firing: () => readonly string[];
  /** What those of these names that fire are about. */
  about: (names: readonly string[]) => string;
  /** When an alert began to fire, if that was then or later. */
  firedAt: (alert: string, since: number) => number | undefined;
  /** When it first fell silent after that time; undefined if it did not. */
  silentAt: (alert: string, since: number) => number | undefined;
  end: () => Promise<void>;
}

export const startWatch = (prometheus: LivePrometheus): Watch => {
  const began = new Map<string, number>();
  const ended: { alert: string; at: number }[] = [];
  const stopping = new AbortController();
  let firing: ReadonlyMap<string, string> = new Map();

  const look = async (): Promise<void> => {
    const now = await prometheus.firing();
    for (const alert of now.keys()) if (!firing.has(alert)) began.set(alert, Date.now());
    for (const alert of firing.keys()) if (!now.has(alert)) ended.push({ alert, at: Date.now() });
    firing = now;
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Prometheus has much to do now and then; it is asked again.
      await look().catch(() => undefined);
      await pause(LOOK_MS);
    }
  };
  const watching = watch();
  return {
    firing: () => [...firing.keys()],
    about: (names) => names.map((name) => `${name} ${firing.get(name) ?? ''}`).join(', '),
    firedAt: (alert, since) => {
      const at = began.get(alert);
      return at !== undefined && at >= since ? at : undefined;
    },
    silentAt: (alert, since) => ended.find((one) => one.alert === alert && one.at > since)?.at,
    end: async () => {
      stopping.abort();
      await watching;
    },
  };
};
