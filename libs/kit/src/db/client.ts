import pg from 'pg';
import { ConnectionLost } from './fault.ts';

/** Settings of Postgres for one connection, by name. */
export type Settings = Readonly<Record<string, string>>;

/** What a connection is made of; `settings` go with its first statement. */
export type ClientOptions = pg.ClientConfig & { settings?: Settings };

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
  /** Private: it has the password, and errors are logged with the connection they are of. */
  readonly #url: string;
  /** The process of Postgres that works for this connection, by its own word: PgBouncer tells another at the login. */
  backend: number | undefined;
  /** Epoch milliseconds after which nobody waits any more for what is on its way. */
  deadline = Infinity;
  #isGivenUp = false;

  constructor(options: ClientOptions = {}) {
    super({ ...LIMITS, ...options, pipeline: true });
    this.#url = options.connectionString ?? '';
    // Whatever is lost fails what is on its way; the event alone would end the process.
    this.on('error', () => {});
    this.query<{ pid: number }>(settingsText(options.settings ?? {}), (error, result) => {
      // The driver's callback has an error or a result, whatever its types say.
      if (error as Error | null)
        this.giveUp(new ConnectionLost('the settings of a connection failed', { cause: error }));
      else this.backend = result.rows[0]?.pid;
    });
    this.query(NOTICE_DEPARTURE, () => {});
  }

  /** Where it goes to, and as whom. */
  get url(): string {
    return this.#url;
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
