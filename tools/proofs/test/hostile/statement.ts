import pg from 'pg';
import { databaseFault } from '../../../../libs/kit/src/index.ts';
import type { Fixture } from '../fixture.ts';
import type { ServiceName } from '@teaching/local/secrets.ts';

/** What came of a statement: how many rows it saw or changed, or the SQLSTATE by which it was refused. */
export type Came = number | string;

/** A session of a service's request role that says whatever somebody wants, and is bound to one organization. */
export class HostileSession {
  readonly #client: pg.Client;
  readonly #org: string;

  constructor(fixture: Fixture, service: ServiceName, org: string) {
    this.#client = new pg.Client({ connectionString: fixture.envFor(service)['DATABASE_URL'] });
    this.#org = org;
  }

  async begin(): Promise<void> {
    await this.#client.connect();
    await this.#client.query("select set_config('app.org_id', $1, false)", [this.#org]);
  }

  /** Says it, and takes back what it did. */
  async says(text: string, values: unknown[] = []): Promise<Came> {
    await this.#client.query('begin');
    try {
      return await this.keeps(text, values);
    } finally {
      await this.#client.query('rollback');
    }
  }

  /** Says it, and keeps what came of it until the session ends or says otherwise. */
  async keeps(text: string, values: unknown[] = []): Promise<Came> {
    try {
      return (await this.#client.query(text, values.length === 0 ? undefined : values)).rowCount ?? 0;
    } catch (error) {
      return databaseFault(error)?.code ?? String(error);
    }
  }

  async first(text: string, values: unknown[] = []): Promise<unknown> {
    const { rows } = await this.#client.query<Record<string, unknown>>(text, values);
    return Object.values(rows[0] ?? {})[0];
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
