import type { EntityManager } from '@mikro-orm/postgresql';
import { spannedSql } from '../telemetry/trace.ts';
import type { Work } from './connection.ts';
import type { ReadLanes } from './lanes.ts';
import type { Orm } from './orm.ts';
import type { Statement } from './statement.ts';

/** The reads of one call: no transaction, no connection of its own. */
export class Reader implements Work {
  readonly #lanes: ReadLanes;
  readonly #orm: Orm;
  #org_id: string;
  #em: EntityManager | undefined;
  /** Holds nothing, so a neighbour may be asked at any time. */
  readonly isOpen = false;

  constructor(lanes: ReadLanes, orm: Orm, org_id: string) {
    this.#lanes = lanes;
    this.#orm = orm;
    this.#org_id = org_id;
  }

  bind(org_id: string): void {
    this.#org_id = org_id;
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    const send = () => this.#lanes.query<R & Record<string, unknown>>(this.#org_id, what, params);
    return (await spannedSql(what.text, send)).rows;
  }

  run(what: Statement<unknown>): void {
    throw new Error(`a read does not write: ${what.text}`);
  }

  async open(): Promise<void> {}

  get em(): EntityManager {
    this.#em ??= this.#orm.over((text, params) =>
      spannedSql(text, () => this.#lanes.queryText(this.#org_id, text, params)),
    );
    return this.#em;
  }

  async flushEntities(): Promise<void> {}
  async commit(): Promise<void> {}
  async abandon(): Promise<void> {}
}
