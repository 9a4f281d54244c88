import { p } from '@mikro-orm/postgresql';

/** A sum of hours, which holds any history. */
export const sumOfHours = () => p.decimal('string').columnType('numeric');
