import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';

/** Whether the broker refuses what `act` does on a connection, which tells it on its own stream of errors; closes it. */
export const isViolation = async (nc: NatsConnection, act: (nc: NatsConnection) => void): Promise<boolean> => {
  const violations: unknown[] = [];
  const watching = (async () => {
    for await (const status of nc.status())
      if (status.type === 'error' && status.error instanceof PermissionViolationError) violations.push(status.error);
  })();
  act(nc);
  // The server answers in order: what it had to say about `act` is here before the second answer.
  await nc.flush();
  await nc.flush();
  await nc.close();
  await watching;
  return violations.length > 0;
};
