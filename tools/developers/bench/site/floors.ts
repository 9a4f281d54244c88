import type { Recorded, Work } from '../load/work.ts';
import { scriptFor } from '../load/script.ts';
import type { Contender } from '../measure/slices.ts';
import type { Plain } from '../plain/start.ts';
import { recordReads } from '../record/record.ts';
import type { System } from '../system/system.ts';
import type { Data, LoadName } from './data.ts';
import type { Loader } from './loader.ts';
import type { Load } from './site.ts';
import { unkept } from './unkept.ts';
import { isRepeatable, type writeFloorOf } from './write-floor.ts';

/** What only reads, beside both floors: what services send for it is sent by others. */
const READS: readonly LoadName[] = ['w1', 'w3', 'my-lessons', 'teacher-detail', 'timetable', 'classes', 'accounts'];

/** How many stand below a load, for each system. `ofWrites`: also below what writes. */
export const floorsBelow = (name: LoadName, ofWrites: boolean): number => {
  if (READS.includes(name)) return 2;
  return (name === 'w2' ? 1 : 0) + (ofWrites && isRepeatable(name) ? 1 : 0);
};

/** What holds while something is done. */
export type Around = <T>(work: () => Promise<T>) => Promise<T>;
const asItIs: Around = (work) => work();

/** What a load costs without all that is around it: its statements alone, and a server that does nothing else. */
export const floorsOf = (
  system: System,
  data: Data,
  load: Loader,
  { plain, writeFloor }: { plain: () => Promise<Plain>; writeFloor?: ReturnType<typeof writeFloorOf> },
) => {
  const floor = async (
    kind: string,
    roots: Contender['roots'],
    [name, load_]: [string, Load],
    [address, work]: [string, Work],
  ): Promise<Contender> => {
    const run = await load(`${system.name} ${kind} ${name}`, address, async () => work);
    return {
      name: `${kind} on ${system.name}`,
      system: system.name,
      floor: kind,
      roots,
      run: (seconds) => run({ ...load_, seconds }),
    };
  };
  const straight = (of: [string, Load], requests: readonly Recorded[]): Promise<Contender> => {
    const work: Work = { name: 'statements', seed: { url: system.adminUrl, requests: [...requests], isOnce: false } };
    return floor('its statements', () => [system.postmaster()], of, [system.address, work]);
  };
  const plainOne = async (of: [string, Load], work: Work): Promise<Contender> => {
    const { address, pid } = await plain();
    return floor('plain', () => [pid, system.postmaster()], of, [address, work]);
  };
  const recorded = new Map<string, Promise<Recorded[]>>();
  const record = async (name: LoadName, around: Around): Promise<Recorded[]> => {
    // A package answers from memory what is asked for again, and the floors are to read it.
    if (name === 'w1') return data.plainItems();
    const script = scriptFor(await data.workOf(name));
    return recordReads(system, script, name === 'w3' ? unkept(system) : around);
  };
  return async (name: LoadName, load_: Load, around: Around = asItIs): Promise<Contender[]> => {
    const kind = around === asItIs ? name : `${name}, otherwise`;
    const of: [string, Load] = [kind, load_];
    if (!READS.includes(name)) {
      const straightOne = writeFloor !== undefined && isRepeatable(name) ? [await writeFloor(name, load_)] : [];
      return name === 'w2' ? [...straightOne, await plainOne(of, await data.plainSync())] : straightOne;
    }
    const recording = recorded.get(kind) ?? record(name, around);
    recorded.set(kind, recording);
    const requests = await recording;
    await (await plain()).learn(requests);
    const asked = requests.map(({ token, path }) => ({ token, path }));
    return [await straight(of, requests), await plainOne(of, { name: 'classes', seed: asked })];
  };
};
