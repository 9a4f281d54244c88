import { startSystem, type System, type SystemOptions } from '../system/start-system.ts';
import type { Proof, ProofOptions } from './proof.ts';

/** Does the work once with a new system for each of these options. A failure is logged, and the next one is tried. */
export const onSystems = async <O extends SystemOptions>(
  all: readonly O[],
  { signal, log }: Pick<ProofOptions, 'signal' | 'log'>,
  work: (system: System, options: O) => Promise<void>,
): ReturnType<Proof['run']> => {
  let [tried, succeeded] = [0, 0];
  for (const options of all) {
    if (signal.aborted) break;
    tried += 1;
    const system = await startSystem(options);
    try {
      await work(system, options);
      succeeded += 1;
    } catch (error) {
      log(`${tried}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await system.end();
    }
  }
  return { succeeded, tried };
};
