import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { unlessAborted, wait } from '../base/wait.ts';
import type { FailureLog } from '../telemetry/failure-log.ts';

const PAUSE_MS = 500;

/** One try; a connection that comes when nobody wants it any more is closed again. */
const attempt = (options: NodeConnectionOptions, stop: AbortSignal): Promise<NatsConnection> => {
  const connecting = connect(options);
  connecting.then((nc) => (stop.aborted ? nc.close() : undefined)).catch(() => {});
  return unlessAborted(connecting, stop);
};

/**
 * Tries until the broker is there and lets us in, and says meanwhile what it waits for: the client's own way of
 * waiting says nothing. Rejects when `stop` is aborted.
 */
export const firstConnection = async (
  options: NodeConnectionOptions,
  reason: (error: unknown) => string,
  teller: FailureLog,
  stop: AbortSignal,
): Promise<NatsConnection> => {
  for (;;) {
    stop.throwIfAborted();
    try {
      const nc = await attempt(options, stop);
      teller.over();
      return nc;
    } catch (error) {
      stop.throwIfAborted();
      teller.tell(reason(error));
    }
    await wait(PAUSE_MS, stop);
  }
};
