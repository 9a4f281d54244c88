import { answerSourceQueries } from './source-queries.ts';
import { createHintPublisher } from './hint-publisher.ts';
import { logKindsOf, SourceTerm } from './source-term.ts';
import type { SourceDeps } from './source-deps.ts';

/** Subject on which an instance notifies the leading instance of its service that events were committed. */
export const nudgeSubject = (service: string): string => `nudge.${service}`;

/** Runs the logs of a service in its leading instance. Other instances notify the leader when they wrote events. */
export const createLogLeader = (deps: SourceDeps) => {
  const { service, bus } = deps;
  const subject = nudgeSubject(service);
  let term: SourceTerm | undefined;
  const subscription = bus.listen(subject, { callback: () => term?.nudge() });
  return {
    /** Call after events were committed: they are numbered now instead of at the next poll. */
    nudge: (): void => (term === undefined ? bus.publishSoon(subject, new Uint8Array()) : term.nudge()),
    /** Numbers and publishes until `signal` is aborted. Only the leading instance calls it. */
    run: async (signal: AbortSignal): Promise<void> => {
      if (logKindsOf(service).length === 0) return;
      const hints = createHintPublisher(deps);
      const ownTerm = new SourceTerm(deps, signal, hints);
      term = ownTerm;
      try {
        await ownTerm.run(() => answerSourceQueries(deps, ownTerm));
      } finally {
        term = undefined;
        hints.stop();
      }
    },
    stop: (): void => subscription.unsubscribe(),
  };
};
