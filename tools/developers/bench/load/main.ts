/** Makes the load, in a process of its own: told by messages what to do, it answers each with what came of it. */
import { z } from 'zod';
import { Connection } from './connection.ts';
import { runScript } from './run.ts';
import { type Script, scriptFor } from './script.ts';
import { Job, type Outcome, type Plan } from './work.ts';

interface Loaded {
  script: Script;
  address: string;
}

const loaded = new Map<string, Loaded>();
const open = new Map<string, Connection[]>();

const find = (key: string): Loaded => {
  const found = loaded.get(key);
  if (found === undefined) throw new Error(`Nothing is loaded as ${key}`);
  return found;
};

/** Connections stay open from run to run. */
const connectionsTo = (address: string, { connections }: Plan): Connection[] => {
  const all = open.get(address) ?? [];
  while (all.length < connections) all.push(new Connection(address));
  open.set(address, all);
  return all.slice(0, connections);
};

const follow = async ({ script, address }: Loaded): Promise<void> => {
  const [connection] = connectionsTo(address, { connections: 1 });
  if (connection === undefined || script.follow === undefined) throw new Error('Nothing here is followed');
  await script.follow(connection);
};

const perform = async (job: Job): Promise<Outcome | null> => {
  if (job.kind === 'load') loaded.set(job.key, { script: scriptFor(job.work), address: job.address });
  else if (job.kind === 'feed') find(job.key).script.feed?.(job.lessons);
  else if (job.kind === 'follow') await follow(find(job.key));
  else {
    const { script, address } = find(job.key);
    return runScript(script, connectionsTo(address, job.plan), job.plan);
  }
  return null;
};

const Message = z.object({ id: z.int(), job: Job });

const answer = async (message: unknown): Promise<void> => {
  const { id, job } = Message.parse(message);
  try {
    process.send?.({ id, outcome: await perform(job) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
  }
};

process.on('message', (message) => void answer(message));
process.once('disconnect', () => process.exit());
// Ctrl-C reaches the whole terminal; who started us stops us.
process.on('SIGINT', () => undefined);
