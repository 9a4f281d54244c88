import {
  appendOnlyLog,
  restrictLog,
  logState,
  logTimeline,
  type MigrationEntry,
  numberedLog,
  analyzeLate,
} from '@teaching/kit';
import { packages } from './001_packages.ts';
import { indexesOfGrowth } from './002_indexes_of_growth.ts';
import { priceWithoutCurrency } from './003_price_without_currency.ts';

export const migrations: readonly MigrationEntry[] = [
  packages,
  numberedLog('package'),
  indexesOfGrowth,
  priceWithoutCurrency,
  restrictLog('103_closed_log', 'package', ['domain']),
  logTimeline('104_log_timeline'),
  analyzeLate('105_sampled_late', 'log_entry', 'log_batch'),
  logState('106_log_state', 'package'),
  appendOnlyLog('107_append_only_log', 'package'),
];
