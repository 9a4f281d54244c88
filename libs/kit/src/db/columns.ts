import { Type } from '@mikro-orm/postgresql';

/** `timestamptz(3)` as the RFC 3339 text it has on the wire. */
export class InstantType extends Type<string, string> {
  override getColumnType(): string {
    return 'timestamptz(3)';
  }
  override compareAsType(): string {
    return 'string';
  }
}
