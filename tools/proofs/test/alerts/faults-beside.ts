import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveAt, basesIn, writeAtomically } from '../../../operators/backup/archive.ts';
import { waitFor } from '../../system/poll.ts';
import { seenBy, smallDisk } from '../../system/small-disk.ts';
import type { Fault } from './alert-fault.ts';
import type { Stage } from './alert-stage.ts';

const DAY_MS = 86_400_000;
/** More of Postgres' log than the rule allows to hold back, in segments of 16 MiB. */
const SEGMENTS = 8;
const DISK = 192 * 2 ** 20;
/** Postgres, which they ask, stands still for a while beside them. */
const BESIDE_MS = 240_000;

/** Writes until nothing more fits onto the disk. */
const fill = (path: string): void => {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(2 ** 20));
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error;
  }
};

const diskOf = (stage: Stage): string => join(stage.backup.folder, 'disk');

/** Those of the backup, one after the other. */
export const OF_THE_BACKUP: readonly Fault[] = [
  {
    about: 'the disk of the archive is no longer there',
    alerts: ['ArchiveNotWritten', 'LogNotArchived', 'BackupInTrouble', 'LogHeldBack'],
    patience_ms: BESIDE_MS,
    strike: async ({ backup, system }) => {
      const archive = join(backup.folder, 'first');
      await backup.bases(archive, 1);
      renameSync(archive, `${archive}-away`);
      // Where it was mounted.
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
    about: 'nobody has made a base backup for two days, by a variable that is wrong',
    alerts: ['BackupTooOld'],
    patience_ms: BESIDE_MS,
    strike: async ({ backup }) => {
      const archive = archiveAt(join(backup.folder, 'first'));
      await backup.stop();
      // What cannot be waited for: the archive is as it would be then.
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
    about: 'somebody else fills the disk of the archive',
    alerts: ['BackupRoomShort'],
    patience_ms: BESIDE_MS,
    whyNot: () => (smallDisk('/', DISK) === undefined ? 'this machine lets nobody mount a small disk' : undefined),
    strike: async (stage) => {
      const { backup } = stage;
      const disk = diskOf(stage);
      mkdirSync(disk);
      await backup.stop();
      const behind = smallDisk(disk, DISK);
      const env = { BACKUP_VERIFY: 'off' };
      backup.start({ archive: 'disk/archive', env, ...(behind === undefined ? {} : { behind }) });
      const seen = seenBy(backup.pid(), disk);
      await backup.bases(join(seen, 'archive'), 1);
      const ballast = join(seen, 'ballast');
      fill(ballast);
      return async () => rmSync(ballast);
    },
  },
];

/** Not before it has been seen for as long as the rule looks back. The disk of the archive is gone with it. */
export const BACKUP_GONE: Fault = {
  about: 'the process that backs up is gone',
  alerts: ['BackupGone'],
  patience_ms: 300_000,
  strike: async ({ backup }) => {
    await backup.kill();
    return async () => {
      backup.start({ archive: 'last' });
      await backup.bases(join(backup.folder, 'last'), 1);
    };
  },
};

/** The job looks once a minute for what is due. */
const JOB_MS = 240_000;
const LOOK_AGAIN = `update clazz.audit_verified
  set began_at = began_at - interval '1 day', first_at = first_at - interval '1 day' where org_id = $1`;

/** What nobody but the owner of the server can do. */
const tamper = async ({ system, org }: Stage, actor: string): Promise<void> => {
  await system.postgres.sql('alter table clazz.clazz_audit_log disable trigger user');
  await system.postgres.sql('update clazz.clazz_audit_log set actor_id = $2 where org_id = $1 and seq = 1', [
    org,
    actor,
  ]);
  await system.postgres.sql('alter table clazz.clazz_audit_log enable trigger user');
  await system.postgres.sql(LOOK_AGAIN, [org]);
};

/** Those of the audit trail, one after the other. */
export const OF_THE_TRAIL: readonly Fault[] = [
  {
    about: 'somebody changes an entry of the audit trail',
    alerts: ['AuditBroken'],
    patience_ms: JOB_MS,
    strike: async (stage) => {
      const { postgres } = stage.system;
      const first = 'select actor_id from clazz.clazz_audit_log where org_id = $1 and seq = 1';
      const known = 'select from clazz.audit_verified where org_id = $1 and whole_entries > 0';
      await waitFor(
        'the trail was recomputed',
        async () => (await postgres.sql(known, [stage.org])).length > 0,
        JOB_MS,
      );
      const [entry] = await postgres.sql<{ actor_id: string }>(first, [stage.org]);
      await tamper(stage, 'somebody else');
      return () => tamper(stage, entry?.actor_id ?? '');
    },
  },
  {
    about: 'somebody holds the table in which the recomputing of trails stands',
    alerts: ['AuditNotVerified'],
    patience_ms: JOB_MS,
    strike: async ({ system: { postgres }, org }) => {
      await postgres.sql(LOOK_AGAIN, [org]);
      // What cannot be waited for.
      await postgres.sql("update clazz.audit_verified set whole_at = whole_at - interval '4 hours' where org_id = $1", [
        org,
      ]);
      return postgres.hold('lock table clazz.audit_verified in exclusive mode');
    },
  },
];

/** What stands in nobody's way. */
export const BESIDE: readonly Fault[] = [
  {
    about: 'a certificate has thirteen days left',
    alerts: ['CertificateEnds'],
    strike: async ({ showCertificate }) => {
      await showCertificate(13);
      return () => showCertificate(20);
    },
  },
  {
    about: 'events fill the room of a stream',
    alerts: ['StreamFull'],
    strike: async ({ system, org }) => {
      const limit = async (bytes: number): Promise<void> => {
        const said = await system.tool('cli.ts', 'streams', '--json', '--max-bytes', String(bytes));
        if (!said.includes('EVENTS_PACKAGE')) throw new Error(`the streams cannot be limited: ${said}`);
      };
      await limit(1_000_000);
      const description = 'long '.repeat(2_000);
      const body = { title: 'Long', description, price_minor: 100, currency: 'EUR', total_hours: '1' };
      const ask = { method: 'POST', path: '/clazz/course-package', org, body };
      for (let n = 0; n < 120; n += 1)
        await waitFor('a package is made', async () => (await system.api(ask)).status === 201, 120_000);
      return () => limit(1_000_000_000);
    },
  },
];
