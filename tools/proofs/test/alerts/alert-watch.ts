import type { LivePrometheus } from '../../system/prometheus.ts';
import { pause } from '../../system/poll.ts';

const POLL_MS = 500;

/** Records when alerts fire and become silent. All times are epoch milliseconds. */
export interface AlertWatch {
  /** Names of the firing alerts. */
  firing: () => readonly string[];
  /** The labels of those of these alerts that fire, as text. */
  about: (names: readonly string[]) => string;
  /** When an alert began to fire, if that was at `since` or later. */
  firedAt: (alert: string, since: number) => number | undefined;
  /** When it first became silent after `since`; `undefined` if it did not. */
  silentAt: (alert: string, since: number) => number | undefined;
  end: () => Promise<void>;
}

export const startAlertWatch = (prometheus: LivePrometheus): AlertWatch => {
  const began = new Map<string, number>();
  const ended: { alert: string; at: number }[] = [];
  const stopping = new AbortController();
  let firing: ReadonlyMap<string, string> = new Map();

  const poll = async (): Promise<void> => {
    const now = await prometheus.firing();
    for (const alert of now.keys()) if (!firing.has(alert)) began.set(alert, Date.now());
    for (const alert of firing.keys()) if (!now.has(alert)) ended.push({ alert, at: Date.now() });
    firing = now;
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // A busy Prometheus may not answer; the next poll tries again.
      await poll().catch(() => undefined);
      await pause(POLL_MS);
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
