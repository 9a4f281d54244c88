import { readReaders, writeReaders } from '../broker/files.ts';
import type { StreamManagers } from '../streams/managers.ts';
import { consumersOf } from './streams.ts';

/**
 * Ends the accounts of outside readers of this organization. Returns their names. The broker still accepts them until it has
 * reloaded its configuration.
 */
export const removeReaders = async (managers: StreamManagers, org: string, folder: string): Promise<string[]> => {
  for (const { stream, consumer, manager } of await consumersOf(managers, org))
    await manager.consumers.delete(stream, consumer);
  const all = readReaders(folder);
  const theirs = all.filter(({ org_id }) => org_id === org);
  if (theirs.length > 0)
    writeReaders(
      folder,
      all.filter((one) => !theirs.includes(one)),
    );
  return theirs.map(({ name }) => name);
};
