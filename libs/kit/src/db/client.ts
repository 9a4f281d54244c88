import pg from 'pg';
import { type Address, addressOf, type DatabaseAddress, PasswordRefused } from './address.ts';
import { ConnectionLost, databaseFault } from './fault.ts';

/** Settings of Postgres for one connection, by name. */
export type Settings = Readonly<Record<string, string>>;

/** What a connection is made of; `settings` go with its first statement. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'ssl' | 'password'> & {
  address: Address;
  settings?: Settings;
};

const WRONG_PASSWORD = '28P01';
/** How the driver may be told to call back: always with an error or nothing. */
type Failed = (error: Error) => void;
type Connected = (error: null, client: pg.Client) => void;

/** The system looks after a connection that is idle, so that nothing between forgets it or keeps its end a secret. */
export const LIMITS = { connectionTimeoutMillis: 5_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

const FIRST = 'pg_backend_pid() as pid';
const settingsText = (settings: Settings): string =>
  `select ${[...Object.entries(settings).map(([name, value]) => `set_config(${[name, value].map(pg.escapeLiteral).join(', ')}, false)`), FIRST].join(', ')}`;
/** Postgres looks now and then whether somebody still waits for a statement. Not every system can tell it. */
const NOTICE_DEPARTURE = "set client_connection_check_interval = '2s'";

/**
 * A connection to Postgres, as every part of a service has it. Its settings are its first statement, on their way
 * before any other can be: they cost no round trip, and unlike the startup parameter `options` they pass a PgBouncer.
 * A connection whose settings fail is given up with all that was sent behind them.
 */
export class DatabaseClient extends pg.Client {
  /** Private: they have the password, and errors are logged with the connection they are of. */
  readonly #given: Address;
  readonly #address: DatabaseAddress;
  readonly #password: string | undefined;
  /** How values become what they are here. */
  readonly types: pg.CustomTypesConfig | undefined;
  /** The process of Postgres that works for this connection, by its own word: PgBouncer tells another at the login. */
  backend: number | undefined;
  /** Epoch milliseconds after which nobody waits any more for what is on its way. */
  deadline = Infinity;
  #isGivenUp = false;

  constructor({ address: given, settings = {}, ...options }: ClientOptions) {
    const address = addressOf(given);
    const next = address.next();
    super({ ...LIMITS, ...options, ...next.options, pipeline: true });
    this.#given = given;
    this.#address = address;
    this.#password = next.password;
    this.types = options.types;
    // Whatever is lost fails what is on its way; the event alone would end the process.
    this.on('error', () => {});
    this.query<{ pid: number }>(settingsText(settings), (error, result) => {
      // The driver's callback has an error or a result, whatever its types say.
      if (error as Error | null)
        this.giveUp(new ConnectionLost('the settings of a connection failed', { cause: error }));
      else this.backend = result.rows[0]?.pid;
    });
    this.query(NOTICE_DEPARTURE, () => {});
  }

  /** Where it goes to, and as whom. */
  get address(): Address {
    return this.#given;
  }

  /** Rejects with `PasswordRefused` when another connection may be let in. */
  override connect(): Promise<pg.Client>;
  override connect(callback: Failed | Connected): void;
  override connect(callback?: Failed | Connected): Promise<pg.Client> | void {
    const failed = callback as Failed | undefined;
    if (failed !== undefined) return super.connect((error: Error) => failed(this.#told(error)));
    return super.connect().catch((error: Error) => {
      throw this.#told(error);
    });
  }

  #told(error: Error): Error {
    // The driver calls back with nothing when all is well, whatever its types say.
    if (databaseFault(error)?.code !== WRONG_PASSWORD || !this.#address.refuse(this.#password)) return error;
    return new PasswordRefused('one password was refused, another is tried', { cause: error });
  }

  /** Something was sent and its answer is not complete. */
  get isWaiting(): boolean {
    return !this.#isGivenUp && 'readyForQuery' in this && this.readyForQuery === false;
  }

  /** Bytes that came so far. */
  get received(): number {
    const { stream } = this.connection;
    return 'bytesRead' in stream && typeof stream.bytesRead === 'number' ? stream.bytesRead : 0;
  }

  /** Closes without a word to the other side. All that is on its way fails now, whatever of it is already answered. */
  giveUp(reason: Error): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.connection.emit('error', reason);
    this.connection.stream.destroy();
  }
}

/** Until when somebody waits for what is sent on a connection from now on, in epoch milliseconds. */
export const setDeadline = (client: pg.ClientBase, deadline: number): void => {
  if (client instanceof DatabaseClient) client.deadline = deadline;
};

/** How a connection makes values of what it gets. */
export const typesOf = (client: pg.ClientBase): pg.CustomTypesConfig | undefined =>
  client instanceof DatabaseClient ? client.types : undefined;
