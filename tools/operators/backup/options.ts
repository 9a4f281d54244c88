import { archiveAt } from './archive.ts';
import type { KeeperOptions } from './keeper.ts';

export interface Options extends Omit<KeeperOptions, 'log'> {
  /** Port of metrics and health; none without it. */
  port: number | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
const LOOK_MS = 5_000;

/** Reads the options from the environment. Throws an error that names every problem. */
export const optionsFrom = (env: Env): Options => {
  const faults: string[] = [];
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const number = (name: string, standard: number | undefined, least: number): number | undefined => {
    const given = text(name);
    if (given === undefined) return standard;
    const value = Number(given);
    if (Number.isFinite(value) && value >= least) return value;
    faults.push(`${name} is no number from ${least} on`);
    return standard;
  };
  const folder = text('BACKUP_ARCHIVE');
  if (folder === undefined)
    faults.push('BACKUP_ARCHIVE is missing: the folder for backups, on another disk than the database');
  const recipient = text('BACKUP_AGE_RECIPIENT');
  if (recipient !== undefined && !/^(age1|ssh-)/.test(recipient))
    faults.push('BACKUP_AGE_RECIPIENT is no public key of age (age1…)');
  const verify = text('BACKUP_VERIFY') ?? 'on';
  if (!['on', 'off'].includes(verify)) faults.push('BACKUP_VERIFY is neither on nor off');
  const options = {
    archive: archiveAt(folder ?? ''),
    programs: { folder: text('PG_BIN'), env },
    keys: { recipient, identity: text('BACKUP_AGE_IDENTITY_FILE') },
    keep: number('BACKUP_KEEP', 7, 1) ?? 7,
    every_ms: (number('BACKUP_EVERY_HOURS', 24, 0.01) ?? 24) * HOUR_MS,
    look_ms: LOOK_MS,
    verify: verify === 'on',
    port: number('METRICS_PORT', undefined, 0),
  };
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return options;
};
