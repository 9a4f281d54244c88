import { Connection, type Request } from '../load/connection.ts';
import type { Script } from '../load/script.ts';
import type { Recorded } from '../load/work.ts';
import type { System } from '../system/system.ts';
import type { Logged } from './logged.ts';
import { inTransactions, isAsking } from './wanted.ts';
import { type StatementLog, withStatementLog } from './statement-log.ts';

/** Steps that are taken to see what a load asks for. */
const STEPS = 30;
const TRIES = 10;
/** Requests come in roles of their own, events and jobs in others. */
const ROLE = /^(?<service>\w+)_app$/;

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

/** Statements of requests, as far as they are wanted. */
const statementsOf = (logged: readonly Logged[], isWanted: (one: Logged) => boolean): Recorded['statements'] =>
  logged.filter(isWanted).flatMap(({ role, name, text, values }) => {
    const service = ROLE.exec(role)?.groups?.['service'];
    return service === undefined ? [] : [{ service, name, text, values }];
  });

const textsOf = (statements: Recorded['statements']): string => JSON.stringify(statements.map(({ text }) => text));

/** What one request has services send, known when it is twice the same: others may do something at that moment, too. */
const record = async (log: StatementLog, connection: Connection, request: Request): Promise<Recorded> => {
  const { token, path } = request;
  let before: string | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { logged } = await log.during(() => connection.send(request));
    const statements = statementsOf(logged, isAsking);
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

/** Has the statements of what it is told to write. */
class Writing extends Connection {
  readonly #log: StatementLog;
  readonly written: Recorded[] = [];
  constructor(address: string, log: StatementLog) {
    super(address);
    this.#log = log;
  }
  override async send(request: Request): ReturnType<Connection['send']> {
    const { method, token, path } = request;
    if (method === 'GET') return super.send(request);
    const { done, logged } = await this.#log.during(() => super.send(request));
    this.written.push({ token, path, org: orgIn(token), statements: statementsOf(logged, inTransactions()) });
    return done;
  }
}

/** What services sent for the writes of each step of a load, one step after the other, in their transactions. */
export const recordWrites = (system: System, { step }: Script, steps: number): Promise<Recorded[]> =>
  withStatementLog(system, async (log) => {
    const connection = new Writing(system.address, log);
    const all: Recorded[] = [];
    try {
      for (let n = 0; n < steps; n += 1) {
        await step(connection, () => undefined);
        const [first, ...more] = connection.written.splice(0);
        if (first !== undefined)
          all.push({ ...first, statements: [first, ...more].flatMap(({ statements }) => statements) });
      }
      return all;
    } finally {
      await connection.close();
    }
  });
