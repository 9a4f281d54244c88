import { undoList } from '@teaching/local/undo-list.ts';
import { checkoutsOf } from '../../developers/bench/checkout.ts';
import { ABOUT, type Flood, FLOODS } from '../../developers/bench/floods.ts';
import {
  type FloodRow,
  GUARD_ENV,
  measureFlood,
  measureGuard,
  measureTransactions,
  medianTimes,
  p99Ratio,
  work,
} from '../../developers/bench/guard.ts';
import { startSystem } from '../../developers/bench/system.ts';
import type { Proof, ProofOptions } from './proof.ts';

const CONNECTIONS = 64;
/** Of a quiet slice and of a flooded one. */
const SECONDS = 4;
/** Until the gateway has the memory that the user alone needs. */
const WARM_UP_S = 15;
const MOST_RATIO = 2;
const MOST_MIB = 64;
/** Postgres and its clients do some transactions by themselves; a flood sends many thousand requests. */
const MOST_TRANSACTIONS = 100;
/** An old secret has no keyed check, so a limited number is looked up. */
const WITHOUT_STATEMENTS = FLOODS.filter((flood) => flood !== 'old-feed-guesses');

const lineOf = (row: FloodRow): string => {
  const { before, most } = row.memory;
  const [alone, beside] = [medianTimes(row.alone).p99.toFixed(1), medianTimes(row.beside).p99.toFixed(1)];
  return `${row.flood}: p99 of a user ${alone} → ${beside} ms (${p99Ratio(row).toFixed(2)} times), memory ${before.toFixed(0)} + ${(most - before).toFixed(0)} MiB`;
};

const faultsOf = (row: FloodRow): string[] => {
  const ratio = p99Ratio(row);
  const grown = row.memory.most - row.memory.before;
  return [
    ...(row.flood === 'unread' || Object.keys(row.answered).length > 0
      ? []
      : ['it got no answer, so it shows nothing: the machine is busy']),
    ...(ratio <= MOST_RATIO
      ? []
      : [`the p99 of a user is ${ratio.toFixed(2)} times that without it, at most ${MOST_RATIO} is allowed`]),
    ...(grown <= MOST_MIB
      ? []
      : [`the gateway's memory grows by ${grown.toFixed(0)} MiB, at most ${MOST_MIB} are allowed`]),
  ];
};

const prove = async ({ signal, log }: ProofOptions, undo: ReturnType<typeof undoList>): Promise<boolean> => {
  const [[name, checkout] = ['', '']] = await checkoutsOf(undefined);
  const it = await measureGuard(await startSystem(name, checkout, 'many', undo.add, GUARD_ENV));
  const measuring = { contenders: [it], seconds: SECONDS, connections: CONNECTIONS, onRound: () => {}, undo: undo.add };
  await work(it, WARM_UP_S);
  let isProved = true;
  const fail = (flood: Flood | 'all floods', fault: string): void => {
    isProved = false;
    log(`FAILED: ${flood}${flood === 'all floods' ? '' : ` (${ABOUT[flood]})`}: ${fault}`);
  };
  for (const flood of FLOODS) {
    if (signal.aborted) return false;
    for (const row of await measureFlood(measuring, flood)) {
      log(lineOf(row));
      for (const fault of faultsOf(row)) fail(flood, fault);
    }
  }
  const { idle, flooded } = await measureTransactions(it, WITHOUT_STATEMENTS, measuring);
  log(`transactions of Postgres: ${idle} idle, ${flooded} in as many seconds with floods`);
  if (flooded - idle > MOST_TRANSACTIONS)
    fail('all floods', `they cause ${flooded - idle} transactions of Postgres, none is allowed`);
  return isProved;
};

/** Needs Linux and a quiet machine: quiet and flooded slices alternate, and the median of the rounds counts. */
export const guard: Proof = {
  name: 'guard',
  about: `strangers with ${CONNECTIONS} connections at most double a user's p99, and take ${MOST_MIB} MiB of the gateway and no statement`,
  minutes: 12,
  count: 1,
  run: async (options) => {
    let [tried, succeeded] = [0, 0];
    while (tried < options.count && !options.signal.aborted) {
      tried += 1;
      const undo = undoList();
      try {
        if (await prove(options, undo)) succeeded += 1;
      } finally {
        await undo.run();
      }
    }
    return { succeeded, tried };
  },
};
