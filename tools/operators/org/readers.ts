import type { JetStreamManager } from '@nats-io/jetstream';
import { readReaders, writeReaders } from '../broker/files.ts';
import { consumersOf } from './streams.ts';

/**
 * Ends the accounts of outside readers of this organization. Returns their names. The broker still accepts them until it has
 * reloaded its configuration.
 */
export const removeReaders = async (manager: JetStreamManager, org: string, folder: string): Promise<string[]> => {
  for (const { stream, consumer } of await consumersOf(manager, org)) await manager.consumers.delete(stream, consumer);
  const all = readReaders(folder);
  const theirs = all.filter(({ org_id }) => org_id === org);
  if (theirs.length > 0)
    writeReaders(
      folder,
      all.filter((one) => !theirs.includes(one)),
    );
  return theirs.map(({ name }) => name);
};
