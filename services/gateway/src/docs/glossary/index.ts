import { CLASSES } from './classes.ts';
import { COMMON } from './common.ts';
import { HOURS } from './hours.ts';
import { TEACHING } from './teaching.ts';

/**
 * What the fields mean, with unit and range, by name: one name means one thing, and where it does not, by
 * `<record>.<name>`. What a contract says of a field itself comes before.
 */
export const GLOSSARY: Readonly<Record<string, string>> = { ...COMMON, ...TEACHING, ...CLASSES, ...HOURS };
