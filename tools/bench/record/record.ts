import { Connection, type Request } from '../load/connection.ts';
import type { Script } from '../load/script.ts';
import type { Recorded } from '../load/work.ts';
import type { System } from '../system/system.ts';
import type { Logged } from './logged.ts';
import { type StatementLog, withStatementLog } from './statement-log.ts';

/** Steps that are taken to see what a load asks for. */
const STEPS = 60;
const TRIES = 10;
/** Requests come in roles of their own, events and jobs in others. */
const ROLE = /^(?<service>\w+)_app$/;
/** Whoever replays is bound once. */
const BINDING = /^select set_config\('app\.org_id'/;
const READING = /^\s*(?:select|with)\b/i;
const WRITING = /\b(?:insert into|update \w+ set|delete from|merge into)\b/i;

/** What a read asks: neither the record in the audit trail that it was read, nor the transaction around both. */
const isAsking = (text: string): boolean => READING.test(text) && !WRITING.test(text) && !BINDING.test(text);

/** Notes what is sent over it. */
class Noting extends Connection {
  readonly sent: Request[] = [];
  override send(request: Request): ReturnType<Connection['send']> {
    this.sent.push(request);
    return super.send(request);
  }
}

const orgIn = (token: string): string => {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (typeof claims === 'object' && claims !== null && 'org_id' in claims) return String(claims.org_id);
  throw new Error('A token names no organization');
};

const statementsOf = (logged: readonly Logged[]): Recorded['statements'] =>
  logged.flatMap(({ role, name, text, values }) => {
    const service = ROLE.exec(role)?.groups?.['service'];
    return service === undefined || !isAsking(text) ? [] : [{ service, name, text, values }];
  });

const textsOf = (statements: Recorded['statements']): string => JSON.stringify(statements.map(({ text }) => text));

/** What one request has services send, known when it is twice the same: others may do something at that moment, too. */
const record = async (log: StatementLog, connection: Connection, request: Request): Promise<Recorded> => {
  const { token, path } = request;
  let before: string | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const statements = statementsOf(await log.during(() => connection.send(request)));
    const texts = textsOf(statements);
    if (texts === before) return { token, path, org: orgIn(token), statements };
    before = texts;
  }
  throw new Error(`${path} has other statements each time`);
};

/** The different requests of a load that only reads, each with the statements that services sent for it. */
export const recordReads = async (
  system: System,
  { step }: Script,
  around: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Recorded[]> => {
  const connection = new Noting(system.address);
  try {
    for (let steps = 0; steps < STEPS; steps += 1) await step(connection, () => undefined);
    const requests = new Map(connection.sent.map((request) => [`${request.token} ${request.path}`, request]));
    return await withStatementLog(system, (log) =>
      around(async () => {
        const all: Recorded[] = [];
        for (const request of requests.values()) all.push(await record(log, connection, request));
        return all;
      }),
    );
  } finally {
    await connection.close();
  }
};
