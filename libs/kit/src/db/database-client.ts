import { Socket } from 'node:net';
import { callbackify } from 'node:util';
import pg from 'pg';
import { type Address, addressOf, type DatabaseAddress, PasswordRefusedError } from './address.ts';
import { ConnectionLost, databaseFault, faultKindOf } from './database-fault.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** Settings of Postgres for one connection, by name. */
export type ConnectionSettings = Readonly<Record<string, string>>;

/** Options of a connection. `settings` are sent with its first statement. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'ssl' | 'password' | 'stream' | 'pipeline'> & {
  address: Address;
  settings?: ConnectionSettings;
};

/** A statement in the driver's form. */
export type DriverQuery = Pick<pg.QueryConfig<unknown[]>, 'text' | 'name' | 'values'>;
/** Receives the error or the result of a statement. */
export type QueryCallback<R extends pg.QueryResultRow = pg.QueryResultRow> = (
  error: Error | undefined,
  result: pg.QueryResult<R> | undefined,
) => void;

const WRONG_PASSWORD = '28P01';
/** The driver's form of callbacks: an error, or null with the client. */
type Failed = (error: Error) => void;
type Connected = (error: null, client: pg.Client) => void;

/** TCP keepalive of idle connections, so that network devices do not drop them and a lost peer is noticed. */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

const FIRST = 'pg_backend_pid() as pid';
const settingsText = (settings: ConnectionSettings): string =>
  `select ${[...Object.entries(settings).map(([name, value]) => `set_config(${[name, value].map(pg.escapeLiteral).join(', ')}, false)`), FIRST].join(', ')}`;
/** Postgres checks every two seconds whether the client still waits for a statement. Not every system supports it. */
const NOTICE_DEPARTURE = "set client_connection_check_interval = '2s'";

/** Converts errors that the driver marks by text only. Errors of Postgres and of the system have a code. */
export const connectionError = (error: Error): Error =>
  error instanceof ConnectionLost || ('code' in error && typeof error.code === 'string')
    ? error
    : new ConnectionLost(error.message, { cause: error });

/**
 * The project's connection to Postgres. Statements are pipelined: they run in the order in which `send` and `execute`
 * are called. Those of one turn of the event loop are sent in one packet (over TLS, one packet each).
 *
 * The settings are its first statement: unlike the startup parameter `options` they pass through a PgBouncer. `connect`
 * resolves when they are in force. If the settings fail, the connection is destroyed with all statements sent after
 * them.
 */
export class DatabaseClient extends pg.Client {
  /** Private: these contain the password, and errors are logged together with their connection. */
  readonly #given: Address;
  readonly #address: DatabaseAddress;
  readonly #password: string | undefined;
  readonly #socket: Socket;
  readonly #isSet: Promise<void>;
  /** Process id of the backend, as Postgres reports it: a PgBouncer announces another one at the login. */
  backendPid: number | undefined;
  /** Milliseconds of `performance.now()` after which no caller waits for the statements in flight. */
  deadline = Infinity;
  #isConnected = false;
  #isCorked = false;
  #unanswered = 0;
  #lost: ConnectionLost | undefined;

  constructor({ address: given, settings = {}, ...options }: ClientOptions) {
    const address = addressOf(given);
    const next = address.nextLogin();
    const socket = new Socket();
    super({ ...CONNECTION_LIMITS, ...options, ...next.options, pipeline: true, stream: () => socket });
    this.#given = given;
    this.#address = address;
    this.#password = next.password;
    this.#socket = socket;
    // An error event without a listener would end the process.
    this.on('error', (error) => this.#lose(error));
    socket.once('close', () => this.#lose(new Error('the connection was closed')));
    this.#isSet = new Promise((resolve) => {
      this.send<{ pid: number }>({ text: settingsText(settings) }, (error, result) => {
        if (error !== undefined)
          this.destroy(new ConnectionLost('the settings of a connection failed', { cause: error }));
        else this.backendPid = result?.rows[0]?.pid;
        resolve();
      });
    });
    this.send({ text: NOTICE_DEPARTURE }, () => {});
  }

  /** The address that the connection was created with. */
  get address(): Address {
    return this.#given;
  }

  /** Rejects with `PasswordRefusedError` if a connection with another password may be accepted. */
  override connect(): Promise<pg.Client>;
  override connect(callback: Failed | Connected): void;
  override connect(callback?: Failed | Connected): Promise<pg.Client> | void {
    if (callback === undefined) return this.#connect();
    // The driver's types have two forms of the callback; its pool calls both in the same way.
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
    if (databaseFault(error)?.code !== WRONG_PASSWORD || !this.#address.rejectPassword(this.#password))
      return connectionError(error);
    return new PasswordRefusedError('a password was refused; the next one is tried', { cause: error });
  }

  /**
   * Sends a statement without waiting for earlier ones. Each statement gets its answer in order, or all get the loss of
   * the connection.
   */
  send<R extends pg.QueryResultRow>(query: DriverQuery, onAnswer: QueryCallback<R>): void {
    if (this.#lost !== undefined) {
      const lost = this.#lost;
      process.nextTick(() => onAnswer(lost, undefined));
      return;
    }
    this.#unanswered += 1;
    this.#cork();
    this.query<R, unknown[]>(query, (error: Error | null, result) => {
      this.#unanswered -= 1;
      // Answers may arrive in the same packet as the reason for the destruction. They no longer count.
      if (this.#lost !== undefined) onAnswer(this.#lost, undefined);
      else if (error === null) onAnswer(undefined, result);
      else {
        onAnswer(error, undefined);
        // Postgres reports the end of a session before the connection closes.
        if (faultKindOf(error) === 'lost') this.destroy(new ConnectionLost('the session ended', { cause: error }));
      }
    });
  }

  /** Like `send`, as a promise. */
  execute<R extends pg.QueryResultRow>(query: DriverQuery): Promise<pg.QueryResult<R>> {
    return new Promise((resolve, reject) => {
      this.send<R>(query, (error, result) => (result === undefined ? reject(error) : resolve(result)));
    });
  }

  /** Holds written data until the current turn of the event loop ends, so that it is sent in one packet. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  /** True if a statement was sent in the current turn of the event loop. */
  get isCorked(): boolean {
    return this.#isCorked;
  }

  /** True if a statement was sent and its answer is not complete. */
  get isWaiting(): boolean {
    return this.#isConnected && this.#lost === undefined && this.#unanswered > 0;
  }

  /** Bytes received so far. */
  get receivedBytes(): number {
    return this.#socket.bytesRead;
  }

  /** The reason why the connection can no longer be used; undefined while it can. */
  get lossReason(): ConnectionLost | undefined {
    return this.#lost;
  }

  #lose(reason: Error): void {
    this.#lost ??= reason instanceof ConnectionLost ? reason : new ConnectionLost(reason.message, { cause: reason });
  }

  /** Closes the connection at once. All statements in flight fail, even if a part of their answer has arrived. */
  destroy(reason: ConnectionLost): void {
    this.#lose(reason);
    this.#socket.destroy(reason);
  }
}

/** A connection from a pool, until it is released. */
export type PooledClient = DatabaseClient & Pick<pg.PoolClient, 'release'>;

/** Takes a connection from a pool that `createPool` created. */
export const takeClient = async (pool: pg.Pool): Promise<PooledClient> => {
  const client = await pool.connect().catch((error: Error) => {
    throw connectionError(error);
  });
  if (!(client instanceof DatabaseClient)) throw new Error('the pool was not created by createPool');
  return client;
};

/** Runs a statement outside of sessions, on a pool or a connection. Returns its rows. */
export const queryRows = async <R, P extends readonly unknown[]>(
  on: DatabaseClient | pg.Pool,
  what: Statement<R, P>,
  ...params: P
): Promise<R[]> => {
  const query = toDriverQuery(what, params);
  if (on instanceof DatabaseClient) return (await on.execute<R & pg.QueryResultRow>(query)).rows;
  const client = await takeClient(on);
  try {
    return (await client.execute<R & pg.QueryResultRow>(query)).rows;
  } finally {
    client.release(client.lossReason);
  }
};
