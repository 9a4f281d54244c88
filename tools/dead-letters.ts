import { parseArgs } from 'node:util';
import { type DeadLetter, SERVICES, type ServiceName } from '../libs/contracts/src/index.ts';
import { connectDeadLetters } from './dead-letters/connect.ts';
import { table } from './dead-letters/table.ts';

const USAGE = `Usage: npm run -s dead-letters -- --service stats [--replay]

Lists the events a service could not apply, and those that wait behind them.
  --service  ${SERVICES.join(', ')}
  --replay   apply them again, in order; an aggregate stops at its first failure

Asks the local system, or the bus that NATS_URL and NATS_ADMIN_PASSWORD name.
Exit code: 0 none wait, 1 some wait, 2 wrong arguments, 3 the service could not be asked.`;

const isService = (name: string): name is ServiceName => SERVICES.some((service) => service === name);

const read = (): { service: ServiceName; replay: boolean } | undefined => {
  try {
    const { values } = parseArgs({ options: { service: { type: 'string' }, replay: { type: 'boolean' } } });
    const { service = '', replay = false } = values;
    return isService(service) ? { service, replay } : undefined;
  } catch {
    return undefined;
  }
};

const show = (letters: readonly DeadLetter[]): void => {
  const rows = letters.map(({ seq, created_at, type, aggregate_id, tries, error }) => [
    String(seq),
    created_at,
    type,
    aggregate_id,
    String(tries),
    error,
  ]);
  console.log(table(['seq', 'since', 'type', 'aggregate', 'tries', 'error'], rows));
};

const work = async (service: ServiceName, replay: boolean): Promise<number> => {
  const letters = await connectDeadLetters(service, process.env);
  try {
    if (replay) console.log(`${await letters.replay()} replayed`);
    const { items, waiting } = await letters.list();
    if (items.length > 0) show(items);
    console.log(waiting === 0 ? 'No dead letters wait.' : `${waiting} dead letters wait.`);
    return waiting === 0 ? 0 : 1;
  } finally {
    await letters.close();
  }
};

const main = async (): Promise<number> => {
  const asked = read();
  if (asked === undefined) {
    console.error(USAGE);
    return 2;
  }
  try {
    return await work(asked.service, asked.replay);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 3;
  }
};

process.exitCode = await main();
