import { CLAZZ_FIGURE } from './clazz-figure.table.ts';
import { ORG_ACCOUNT } from './org-account.table.ts';
import { ORG_FIGURE } from './org-figure.table.ts';

/** Tables of sums over records. */
export const FIGURE_TABLES: readonly string[] = [CLAZZ_FIGURE.name, ORG_FIGURE.name, ORG_ACCOUNT.name];
