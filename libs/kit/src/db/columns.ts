import { p, Type } from '@mikro-orm/postgresql';

/** `timestamptz(3)` as the RFC 3339 text it has on the wire. */
class InstantType extends Type<string, string> {
  override getColumnType(): string {
    return 'timestamptz(3)';
  }
  override compareAsType(): string {
    return 'string';
  }
}

/** An instant with milliseconds. */
export const instant = () => p.type(InstantType);
/** Hours, points and other exact decimals with two places, as a string: `numeric(12, 2)`. */
export const hundredths = () => p.decimal('string').precision(12).scale(2);
/** `bigint` that stays below 2^53: amounts of money, sequence numbers, counts. */
export const bigint = () => p.bigint('number');
export const bigints = () => p.array<number>(Number).columnType('bigint[]');
export const uuids = () => p.array().columnType('uuid[]');
export const texts = () => p.array().columnType('text[]');
/** A period of time, read by its bounds and never as a whole. */
export const period = () => p.text().columnType('tstzrange');
/** What a function answers that is called for its effect, such as a lock. */
export const nothing = () => p.text().columnType('void').nullable();
