import { z } from 'zod';
import { type DeadLetter, deadLetterCalls, SERVICES, type ServiceName } from '../../../../libs/contracts/src/index.ts';
import { text } from '../../../../libs/contracts/src/scalars.ts';
import { asOperator, type Operator } from '../../operator/operator.ts';
import type { Context, Define } from '../command.ts';
import { UsageError } from '../exit.ts';
import { parseOptions, count, flag } from '../options.ts';
import { table } from '../table.ts';

/** The most that are listed. */
const SHOWN = 200;

const Service = z.object({ service: z.enum(SERVICES, `must be one of ${SERVICES.join(', ')}`) });
const Listing = Service.extend({ json: flag() });
const One = Listing.extend({ seq: count(1, 999_999_999_999) });
const Dropping = One.extend({ reason: z.string('is missing: the reason why it may be lost').pipe(text(500)) });

const show = (letters: readonly DeadLetter[]): string => {
  const rows = letters.map(({ seq, created_at, type, aggregate_id, tries, error }) => [
    String(seq),
    created_at,
    type,
    aggregate_id,
    String(tries),
    error,
  ]);
  return table(['seq', 'since', 'type', 'aggregate', 'tries', 'error'], rows);
};

/** Prints the waiting dead letters. Sets exit code 1 if there are any. */
const list = async (operator: Operator, service: ServiceName, json: boolean, context: Context): Promise<void> => {
  const found = await operator.ask(deadLetterCalls(service).list, { after_seq: 0, limit: SHOWN });
  const { items, waiting } = found;
  if (waiting > 0) context.notWell();
  if (json) return context.print(JSON.stringify(found));
  if (items.length > 0) context.print(show(items));
  context.print(waiting === 0 ? 'No dead letters wait.' : `${waiting} dead letters wait.`);
};

const defineList: Define = (command, context) => {
  command
    .command('list <service>')
    .description('List them with their reasons, in order of arrival')
    .option('--json', 'as JSON')
    .action((service: string, given: object) => {
      const asked = parseOptions(Listing, { ...given, service });
      return asOperator('dead-letters', context.env, (operator) => list(operator, asked.service, asked.json, context));
    });
};

const missing = (seq: number): UsageError => new UsageError(`No dead letter ${seq} waits`);

const defineShow: Define = (command, { env, print }) => {
  command
    .command('show <service> <seq>')
    .description('Show one of them, with its event')
    .option('--json', 'as one line of JSON')
    .action((service: string, seq: string, given: object) => {
      const asked = parseOptions(One, { ...given, service, seq });
      return asOperator('dead-letters', env, async (operator) => {
        const { found } = await operator.ask(deadLetterCalls(asked.service).get, { seq: asked.seq });
        if (found === null) throw missing(asked.seq);
        print(asked.json ? JSON.stringify(found) : JSON.stringify(found, null, 2));
      });
    });
};

const defineReplay: Define = (command, context) => {
  command
    .command('replay <service>')
    .description('Apply them again in order; an aggregate stops at its first failure')
    .option('--json', 'the remaining ones, as JSON')
    .action((service: string, given: object) => {
      const asked = parseOptions(Listing, { ...given, service });
      return asOperator('dead-letters', context.env, async (operator) => {
        const { replayed } = await operator.ask(deadLetterCalls(asked.service).replay, {});
        context.note(`${replayed} replayed`);
        await list(operator, asked.service, asked.json, context);
      });
    });
};

const defineDrop: Define = (command, { env, print }) => {
  command
    .command('drop <service> <seq>')
    .description('Drop one for good, and apply the events that wait for it')
    .option('--reason <text>', 'the reason why it may be lost; it is stored with it')
    .option('--json', 'the dropped one, as JSON')
    .action((service: string, seq: string, given: object) => {
      const asked = parseOptions(Dropping, { ...given, service, seq });
      return asOperator('dead-letters', env, async (operator) => {
        const { drop } = deadLetterCalls(asked.service);
        const { dropped } = await operator.ask(drop, { seq: asked.seq, reason: asked.reason });
        if (!dropped) throw missing(asked.seq);
        print(asked.json ? JSON.stringify({ dropped: asked.seq }) : `dropped: ${asked.seq}`);
      });
    });
};

export const define: Define = (command, context) => {
  command.addHelpText(
    'afterAll',
    `
Services: ${SERVICES.join(', ')}. What waits behind an event of its organization and aggregate waits with it. The audit trail
drops none. The services do the work: this may be stopped at any time and run again. Asks the local system, or the bus that
NATS_URL and NATS_ADMIN_PASSWORD name. With code 1 some (still) wait.

Examples:
  teaching dead-letters list stats
  teaching dead-letters show stats 17
  teaching dead-letters replay stats
  teaching dead-letters drop stats 17 --reason "the lesson was removed by hand"`,
  );
  for (const part of [defineList, defineShow, defineReplay, defineDrop]) part(command, context);
};
