import { answerSourceQueries } from './source-queries.ts';
import { createHintPublisher } from './hint-publisher.ts';
import { logKindsOf, SourceTerm } from './source-term.ts';
import type { SourceDeps } from './source-deps.ts';

/** "Events were committed", between copies of one service. */
export const nudgeSubject = (service: string): string => `nudge.${service}`;

/** The logs of a service, kept by its leading instance; the others tell that one when they wrote events. */
export const createLogLeader = (deps: SourceDeps) => {
  const { service, bus } = deps;
  const subject = nudgeSubject(service);
  let term: SourceTerm | undefined;
  const subscription = bus.listen(subject, { callback: () => term?.nudge() });
  return {
    /** Events were committed: number them now instead of at the next look. */
    nudge: (): void => (term === undefined ? bus.publishSoon(subject, new Uint8Array()) : term.nudge()),
    /** Keeps the logs until `signal` is aborted; only the leading instance does. */
    run: async (signal: AbortSignal): Promise<void> => {
      if (logKindsOf(service).length === 0) return;
      const hints = createHintPublisher(deps);
      const mine = new SourceTerm(deps, signal, hints);
      term = mine;
      try {
        await mine.run(() => answerSourceQueries(deps, mine));
      } finally {
        term = undefined;
        hints.stop();
      }
    },
    stop: (): void => subscription.unsubscribe(),
  };
};
