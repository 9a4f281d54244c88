import { Socket } from 'node:net';
import { callbackify } from 'node:util';
import pg from 'pg';
import { type Address, addressOf, type DatabaseAddress, PasswordRefused } from './address.ts';
import { ConnectionLost, databaseFault, faultKindOf } from './database-fault.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** Settings of Postgres for one connection, by name. */
export type ConnectionSettings = Readonly<Record<string, string>>;

/** What a connection is made of; `settings` go with its first statement. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'ssl' | 'password' | 'stream' | 'pipeline'> & {
  address: Address;
  settings?: ConnectionSettings;
};

/** A statement as the driver takes it. */
export type DriverQuery = Pick<pg.QueryConfig<unknown[]>, 'text' | 'name' | 'values'>;
/** Gets the error or the result of a statement. */
export type QueryCallback<R extends pg.QueryResultRow = pg.QueryResultRow> = (
  error: Error | undefined,
  result: pg.QueryResult<R> | undefined,
) => void;

const WRONG_PASSWORD = '28P01';
/** How the driver may be told to call back: always with an error or nothing. */
type Failed = (error: Error) => void;
type Connected = (error: null, client: pg.Client) => void;

/** The system looks after a connection that is idle, so that nothing between forgets it or keeps its end a secret. */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

const FIRST = 'pg_backend_pid() as pid';
const settingsText = (settings: ConnectionSettings): string =>
  `select ${[...Object.entries(settings).map(([name, value]) => `set_config(${[name, value].map(pg.escapeLiteral).join(', ')}, false)`), FIRST].join(', ')}`;
/** Postgres looks now and then whether a client still waits for a statement. Not every system can tell it. */
const NOTICE_DEPARTURE = "set client_connection_check_interval = '2s'";

/** The driver names some errors of connections by nothing but a text. Those of Postgres and of the system have a code. */
export const connectionError = (error: Error): Error =>
  error instanceof ConnectionLost || ('code' in error && typeof error.code === 'string')
    ? error
    : new ConnectionLost(error.message, { cause: error });

/**
 * A connection to Postgres, as every part of a service has it. Statements are pipelined: they run in the order in which
 * `send` and `ask` are called, and those of one turn of the event loop leave in one packet (over TLS, one for each).
 *
 * Settings are its first statement: unlike the startup parameter `options` they pass a PgBouncer. `connect` resolves when
 * they are in force. A connection whose settings fail is destroyed with all that was sent behind them.
 */
export class DatabaseClient extends pg.Client {
  /** Private: they have the password, and errors are logged with the connection they are of. */
  readonly #given: Address;
  readonly #address: DatabaseAddress;
  readonly #password: string | undefined;
  readonly #socket: Socket;
  readonly #isSet: Promise<void>;
  /** The process of Postgres that works for this connection, by its own word: PgBouncer names another at the login. */
  backend: number | undefined;
  /** Epoch milliseconds after which no caller waits for what is on its way. */
  deadline = Infinity;
  #isConnected = false;
  #isCorked = false;
  #unanswered = 0;
  #lost: ConnectionLost | undefined;

  constructor({ address: given, settings = {}, ...options }: ClientOptions) {
    const address = addressOf(given);
    const next = address.next();
    const socket = new Socket();
    super({ ...CONNECTION_LIMITS, ...options, ...next.options, pipeline: true, stream: () => socket });
    this.#given = given;
    this.#address = address;
    this.#password = next.password;
    this.#socket = socket;
    // An error without a listener would end the process.
    this.on('error', (error) => this.#lose(error));
    socket.once('close', () => this.#lose(new Error('the connection was closed')));
    this.#isSet = new Promise((resolve) => {
      this.send<{ pid: number }>({ text: settingsText(settings) }, (error, result) => {
        if (error !== undefined)
          this.destroy(new ConnectionLost('the settings of a connection failed', { cause: error }));
        else this.backend = result?.rows[0]?.pid;
        resolve();
      });
    });
    this.send({ text: NOTICE_DEPARTURE }, () => {});
  }

  /** Where it goes to, and as whom. */
  get address(): Address {
    return this.#given;
  }

  /** Rejects with `PasswordRefused` when another connection may be let in. */
  override connect(): Promise<pg.Client>;
  override connect(callback: Failed | Connected): void;
  override connect(callback?: Failed | Connected): Promise<pg.Client> | void {
    if (callback === undefined) return this.#connect();
    // The driver's types know two forms of callback, its pool calls both as one.
    callbackify(() => this.#connect())(callback as (error: Error | null, client?: pg.Client) => void);
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect();
    } catch (error) {
      throw this.#refusalOf(error as Error);
    }
    this.#isConnected = true;
    await this.#isSet;
    if (this.#lost !== undefined) throw this.#lost;
    return this;
  }

  #refusalOf(error: Error): Error {
    if (databaseFault(error)?.code !== WRONG_PASSWORD || !this.#address.refuse(this.#password))
      return connectionError(error);
    return new PasswordRefused('one password was refused, another is tried', { cause: error });
  }

  /** Sends a statement without waiting for those before it. Each gets its answer in turn, or all of them the loss of the connection. */
  send<R extends pg.QueryResultRow>(query: DriverQuery, answered: QueryCallback<R>): void {
    if (this.#lost !== undefined) {
      const lost = this.#lost;
      process.nextTick(() => answered(lost, undefined));
      return;
    }
    this.#unanswered += 1;
    this.#cork();
    this.query<R, unknown[]>(query, (error: Error | null, result) => {
      this.#unanswered -= 1;
      // Answers may come in one packet with the reason for which the connection was destroyed: none of them counts.
      if (this.#lost !== undefined) answered(this.#lost, undefined);
      else if (error === null) answered(undefined, result);
      else {
        answered(error, undefined);
        // A session that ends says so before its connection does.
        if (faultKindOf(error) === 'lost') this.destroy(new ConnectionLost('the session ended', { cause: error }));
      }
    });
  }

  /** The same as a promise. */
  ask<R extends pg.QueryResultRow>(query: DriverQuery): Promise<pg.QueryResult<R>> {
    return new Promise((resolve, reject) => {
      this.send<R>(query, (error, result) => (result === undefined ? reject(error) : resolve(result)));
    });
  }

  /** Holds back what is written until this turn of the event loop is over, so that it leaves in one packet. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  /** Something was sent in this turn of the event loop. */
  get isCorked(): boolean {
    return this.#isCorked;
  }

  /** Something was sent and its answer is not complete. */
  get isWaiting(): boolean {
    return this.#isConnected && this.#lost === undefined && this.#unanswered > 0;
  }

  /** Bytes that came so far. */
  get received(): number {
    return this.#socket.bytesRead;
  }

  /** Why nothing can be sent any more. */
  get lost(): ConnectionLost | undefined {
    return this.#lost;
  }

  #lose(reason: Error): void {
    this.#lost ??= reason instanceof ConnectionLost ? reason : new ConnectionLost(reason.message, { cause: reason });
  }

  /** Closes without a word to the other side. All that is on its way fails, whatever of it is already answered. */
  destroy(reason: ConnectionLost): void {
    this.#lose(reason);
    this.#socket.destroy(reason);
  }
}

/** A connection of a pool, until it is released. */
export type PooledClient = DatabaseClient & Pick<pg.PoolClient, 'release'>;

/** Takes a connection out of a pool that `createPool` made. */
export const takeClient = async (pool: pg.Pool): Promise<PooledClient> => {
  const client = await pool.connect().catch((error: Error) => {
    throw connectionError(error);
  });
  if (!(client instanceof DatabaseClient)) throw new Error('this pool has other connections');
  return client;
};

/** Runs a statement outside of sessions, on a pool or on one connection; answers its rows. */
export const queryRows = async <R, P extends readonly unknown[]>(
  on: DatabaseClient | pg.Pool,
  what: Statement<R, P>,
  ...params: P
): Promise<R[]> => {
  const query = toDriverQuery(what, params);
  if (on instanceof DatabaseClient) return (await on.ask<R & pg.QueryResultRow>(query)).rows;
  const client = await takeClient(on);
  try {
    return (await client.ask<R & pg.QueryResultRow>(query)).rows;
  } finally {
    client.release(client.lost);
  }
};
