import pg from 'pg';
import { databaseFault } from '../../../../libs/kit/src/index.ts';
import type { Fixture } from '../fixture.ts';
import type { ServiceName } from '@teaching/local/secrets.ts';

/** The outcome of a statement: the number of rows it returned or changed, or the SQLSTATE of its refusal. */
export type StatementOutcome = number | string;

/** A database session with the request or worker role of a service, bound to an organization, that runs any statement. */
export class HostileSession {
  readonly #client: pg.Client;
  readonly #org: string;

  constructor(fixture: Fixture, service: ServiceName, org: string, role: 'app' | 'worker' = 'app', name = 'hostile') {
    const connectionString = fixture.envFor(service)[role === 'app' ? 'DATABASE_URL' : 'WORKER_DATABASE_URL'];
    this.#client = new pg.Client({ connectionString, application_name: name });
    this.#org = org;
  }

  async begin(): Promise<void> {
    await this.#client.connect();
    await this.#client.query("select set_config('app.org_id', $1, false)", [this.#org]);
  }

  /** Runs a statement and rolls it back. */
  async tryStatement(text: string, values: unknown[] = []): Promise<StatementOutcome> {
    await this.#client.query('begin');
    try {
      return await this.execute(text, values);
    } finally {
      await this.#client.query('rollback');
    }
  }

  /** Runs a statement without rolling it back. */
  async execute(text: string, values: unknown[] = []): Promise<StatementOutcome> {
    try {
      return (await this.#client.query(text, values.length === 0 ? undefined : values)).rowCount ?? 0;
    } catch (error) {
      return databaseFault(error)?.code ?? String(error);
    }
  }

  async firstValue(text: string, values: unknown[] = []): Promise<unknown> {
    const { rows } = await this.#client.query<Record<string, unknown>>(text, values);
    return Object.values(rows[0] ?? {})[0];
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
