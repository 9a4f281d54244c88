import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveAt, basesIn, writeAtomically } from '../../../operators/backup/archive.ts';
import { waitFor } from '../../system/poll.ts';
import { pathInProcess, smallDisk } from '../../system/small-disk.ts';
import type { Fault } from './alert-fault.ts';
import type { Stage } from './alert-stage.ts';

const DAY_MS = 86_400_000;
/** Segments of 16 MiB that exceed the limit of the rule for unarchived log. */
const SEGMENTS = 8;
const DISK = 192 * 2 ** 20;
/** These faults need Postgres, which other faults freeze meanwhile, so their alerts may take longer. */
const FIRES_MS = 240_000;

/** Writes to a file until the disk is full. */
const fill = (path: string): void => {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(2 ** 20));
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error;
  }
};

const diskOf = (stage: Stage): string => join(stage.backup.folder, 'disk');

/** Faults of the backup, one after another. */
export const BACKUP_FAULTS: readonly Fault[] = [
  {
    about: 'the disk of the archive is gone',
    alerts: ['ArchiveNotWritten', 'LogNotArchived', 'BackupInTrouble', 'LogHeldBack'],
    patience_ms: FIRES_MS,
    strike: async ({ backup, system }) => {
      const archive = join(backup.folder, 'first');
      await backup.waitForBases(archive, 1);
      renameSync(archive, `${archive}-away`);
      // The empty mount point stays.
      mkdirSync(archive);
      for (let n = 0; n < SEGMENTS; n += 1) {
        await system.postgres.sql("select pg_create_restore_point('much is written')");
        await system.postgres.sql('select pg_switch_wal()');
      }
      return async () => {
        rmSync(archive, { recursive: true });
        renameSync(`${archive}-away`, archive);
      };
    },
  },
  {
    about: 'no base backup was made for two days because of a wrong setting',
    alerts: ['BackupTooOld'],
    patience_ms: FIRES_MS,
    strike: async ({ backup }) => {
      const archive = archiveAt(join(backup.folder, 'first'));
      await backup.stop();
      // Backdates the base backups, because a test cannot wait two days.
      for (const { name, finished_at } of await basesIn(archive)) {
        const file = join(archive.base, name, 'backup.json');
        const then = { finished_at: new Date(finished_at.getTime() - 2 * DAY_MS) };
        await writeAtomically(file, { ...JSON.parse(readFileSync(file, 'utf8')), ...then });
      }
      backup.start({ archive: 'first', env: { BACKUP_EVERY_HOURS: '240' } });
      return async () => {
        await backup.stop();
        backup.start({ archive: 'first' });
      };
    },
  },
  {
    about: 'other data fills the disk of the archive',
    alerts: ['BackupRoomShort'],
    patience_ms: FIRES_MS,
    skipReason: () =>
      smallDisk('/', DISK) === undefined ? 'this machine does not allow mounting a small disk' : undefined,
    strike: async (stage) => {
      const { backup } = stage;
      const disk = diskOf(stage);
      mkdirSync(disk);
      await backup.stop();
      const wrapper = smallDisk(disk, DISK);
      const env = { BACKUP_VERIFY: 'off' };
      backup.start({ archive: 'disk/archive', env, ...(wrapper === undefined ? {} : { wrapper }) });
      const seen = pathInProcess(backup.pid(), disk);
      await backup.waitForBases(join(seen, 'archive'), 1);
      const ballast = join(seen, 'ballast');
      fill(ballast);
      return async () => rmSync(ballast);
    },
  },
];

/**
 * Strikes after the backup was scraped for as long as the rule looks back. The small disk of the archive ends with it.
 */
export const BACKUP_ENDED: Fault = {
  about: 'the backup process has ended',
  alerts: ['BackupGone'],
  patience_ms: 300_000,
  strike: async ({ backup }) => {
    await backup.kill();
    return async () => {
      backup.start({ archive: 'last' });
      await backup.waitForBases(join(backup.folder, 'last'), 1);
    };
  },
};

/** The job verifies due chains once a minute. */
const JOB_MS = 240_000;
const MAKE_DUE = `update clazz.audit_verified
  set began_at = began_at - interval '1 day', first_at = first_at - interval '1 day' where org_id = $1`;

/** Changes an audit entry. Only the owner of the server can do this. */
const tamper = async ({ system, org }: Stage, actor: string): Promise<void> => {
  await system.postgres.sql('alter table clazz.clazz_audit_log disable trigger user');
  await system.postgres.sql('update clazz.clazz_audit_log set actor_id = $2 where org_id = $1 and seq = 1', [
    org,
    actor,
  ]);
  await system.postgres.sql('alter table clazz.clazz_audit_log enable trigger user');
  await system.postgres.sql(MAKE_DUE, [org]);
};

/** Faults of the audit log, one after another. */
export const AUDIT_FAULTS: readonly Fault[] = [
  {
    about: 'an entry of the audit log was changed',
    alerts: ['AuditBroken'],
    patience_ms: JOB_MS,
    strike: async (stage) => {
      const { postgres } = stage.system;
      const first = 'select actor_id from clazz.clazz_audit_log where org_id = $1 and seq = 1';
      const verified = 'select from clazz.audit_verified where org_id = $1 and whole_entries > 0';
      await waitFor(
        'the audit chain was verified',
        async () => (await postgres.sql(verified, [stage.org])).length > 0,
        JOB_MS,
      );
      const [entry] = await postgres.sql<{ actor_id: string }>(first, [stage.org]);
      await tamper(stage, 'another person');
      return () => tamper(stage, entry?.actor_id ?? '');
    },
  },
  {
    about: 'the table of the audit verification is locked',
    alerts: ['AuditNotVerified'],
    patience_ms: JOB_MS,
    strike: async ({ system: { postgres }, org }) => {
      await postgres.sql(MAKE_DUE, [org]);
      // Backdates the last verification, because a test cannot wait four hours.
      await postgres.sql("update clazz.audit_verified set whole_at = whole_at - interval '4 hours' where org_id = $1", [
        org,
      ]);
      return postgres.holdTransaction('lock table clazz.audit_verified in exclusive mode');
    },
  },
];

/** Faults that disturb no other fault. */
export const INDEPENDENT_FAULTS: readonly Fault[] = [
  {
    about: 'a certificate has thirteen days left',
    alerts: ['CertificateEnds'],
    strike: async ({ showCertificate }) => {
      await showCertificate(13);
      return () => showCertificate(20);
    },
  },
  {
    about: 'events fill a stream up to its size limit',
    alerts: ['StreamFull'],
    strike: async ({ system, org }) => {
      const limit = async (bytes: number): Promise<void> => {
        const output = await system.tool('cli.ts', 'streams', '--json', '--max-bytes', String(bytes));
        if (!output.includes('EVENTS_PACKAGE')) throw new Error(`setting the stream limit failed: ${output}`);
      };
      await limit(1_000_000);
      const description = 'long '.repeat(2_000);
      const body = { title: 'Long', description, price_minor: 100, currency: 'EUR', total_hours: '1' };
      const ask = { method: 'POST', path: '/clazz/course-package', org, body };
      for (let n = 0; n < 120; n += 1)
        await waitFor('a package is created', async () => (await system.api(ask)).status === 201, 120_000);
      return () => limit(1_000_000_000);
    },
  },
];
