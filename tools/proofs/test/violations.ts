import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';

/**
 * Whether the broker refuses the action `act`. It reports that in the status of the connection, which is then closed.
 */
export const isViolation = async (nc: NatsConnection, act: (nc: NatsConnection) => void): Promise<boolean> => {
  const violations: unknown[] = [];
  const watching = (async () => {
    for await (const status of nc.status())
      if (status.type === 'error' && status.error instanceof PermissionViolationError) violations.push(status.error);
  })();
  act(nc);
  // The server answers in order, so a refusal of `act` arrives before the second reply.
  await nc.flush();
  await nc.flush();
  await nc.close();
  await watching;
  return violations.length > 0;
};
