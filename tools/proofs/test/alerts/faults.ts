import { pause } from '../../system/poll.ts';
import { removePoison, grantHours, addPoison } from '../../faults/poison-events.ts';
import { shiftedClock } from '../../system/shifted-clock.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { FULL_DISK } from '../../system/small-disk.ts';
import type { Fault } from './alert-fault.ts';

/** Faults that would disturb each other, so they run one after another. */
export const FAULTS: readonly Fault[] = [
  {
    about: 'a table that many requests need is locked',
    alerts: ['CallsShed', 'ErrorsBurnFast', 'ErrorsBurnSlowly'],
    strike: async ({ system, callers }) => {
      const release = await system.postgres.holdTransaction(
        'lock table package.course_package in access exclusive mode',
      );
      const stop = callers(60);
      return async () => {
        await release();
        await stop();
      };
    },
  },
  {
    about: 'a table that some requests need is locked repeatedly for two seconds',
    alerts: ['SlowBurnFast'],
    strike: async ({ system, callers }) => {
      const stopping = new AbortController();
      const lock = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          const release = await system.postgres.holdTransaction(
            'lock table package.course_package in access exclusive mode',
          );
          await pause(2_000);
          await release();
          await pause(50);
        }
      };
      const locking = lock();
      // Few enough callers that all may wait: a refused request would be answered fast.
      const stop = callers(12);
      return async () => {
        stopping.abort();
        await Promise.all([locking, stop()]);
      };
    },
  },
  {
    about: 'a table of the log is locked',
    alerts: ['PoolExhausted'],
    strike: ({ system }) => system.postgres.holdTransaction('lock table course.log_head in access exclusive mode'),
  },
  {
    about: 'Postgres is frozen',
    alerts: ['DatabaseSilent', 'NoLeader'],
    strike: async ({ system, allReady }) => {
      system.postgres.freeze();
      return async () => {
        system.postgres.thaw();
        await allReady();
      };
    },
  },
  {
    about: 'a process has ended',
    alerts: ['InstanceDown', 'ServiceGone'],
    strike: async ({ system, allReady }) => {
      const [one] = system.instancesOf('package');
      await one?.kill();
      return async () => {
        one?.start();
        await allReady();
      };
    },
  },
  {
    about: 'the clock of one instance is a minute ahead',
    alerts: ['ClockSkew'],
    strike: async ({ system, metricsEnv, allReady }) => {
      const one = system.instancesOf('course')[1];
      const restart = async (env: Env): Promise<void> => {
        await one?.kill();
        one?.configure({ ...metricsEnv(one.name), ...env });
        one?.start();
        await allReady();
      };
      await restart(await shiftedClock(60));
      return () => restart({});
    },
  },
  {
    about: 'the log of a process is on a full disk',
    alerts: ['LogLinesDropped'],
    strike: async ({ system, allReady }) => {
      const [one] = system.instancesOf('package');
      await one?.kill();
      one?.start(FULL_DISK);
      await allReady();
      // It logs that it lost the broker.
      one?.toNats.set('cut');
      return async () => {
        one?.toNats.heal();
        await one?.kill();
        one?.start();
        await allReady();
      };
    },
  },
  {
    about: 'the head of a log is locked',
    alerts: ['LogNotNumbered'],
    strike: async ({ system, createClazz }) => {
      const release = await system.postgres.holdTransaction('select from clazz.log_head for update');
      await createClazz();
      return release;
    },
  },
  {
    about: 'the broker ends before an event is published',
    alerts: ['BusLost', 'LogNotPublished'],
    strike: async ({ system, createClazz, allReady }) => {
      const release = await system.postgres.holdTransaction('select from clazz.log_head for update');
      await createClazz();
      await system.nats.kill();
      await release();
      return async () => {
        await system.nats.start();
        await allReady();
      };
    },
  },
  {
    about: 'the statistics lose a database privilege',
    alerts: ['FollowerInTrouble', 'FollowerBehind'],
    strike: async ({ system, createClazz }) => {
      await system.postgres.sql('revoke insert on stats.clazz from stats_worker');
      await createClazz();
      return () => system.postgres.sql('grant insert on stats.clazz to stats_worker');
    },
  },
  {
    about: 'an event cannot be applied',
    alerts: ['DeadLetters'],
    strike: async ({ system, org }) => {
      await addPoison(system, org, 'bad', "raise exception 'no'");
      await grantHours(system, org, 'bad');
      return async () => {
        await removePoison(system);
        await system.tool('cli.ts', 'dead-letters', 'replay', 'stats');
      };
    },
  },
  {
    about: 'two databases have the same identity',
    alerts: ['TwoLeaders'],
    strike: async ({ system, metricsEnv, allReady }) => {
      const [, other] = system.instancesOf('course');
      if (other === undefined) throw new Error('the fault needs a second instance of course');
      const twin = (name: string): string => (other.env[name] ?? '').replace(/\/teaching$/, '/twin');
      await other.kill();
      other.configure({
        ...metricsEnv(other.name),
        DATABASE_URL: twin('DATABASE_URL'),
        WORKER_DATABASE_URL: twin('WORKER_DATABASE_URL'),
      });
      other.start();
      return async () => {
        await other.kill();
        other.configure(metricsEnv(other.name));
        other.start();
        await allReady();
      };
    },
  },
];

/** Also breaks the log of the archive, so it runs after the faults that need the archive. */
export const DATABASE_RESTORED: Fault = {
  about: 'the database is restored to an older state',
  alerts: ['LogWentBack'],
  strike: async ({ system, createClazz, allReady }) => {
    await system.postgres.copy('older');
    await createClazz();
    await pause(2_000);
    await system.postgres.restoreCopy('older');
    return allReady;
  },
};

/** The longest fault; runs beside all others. */
export const ISSUER_UNREACHABLE: Fault = {
  about: 'the issuer of tokens is unreachable for an hour',
  alerts: ['IssuerKeysOld'],
  patience_ms: 300_000,
  strike: async ({ issuer }) => {
    await issuer.close();
    return issuer.open;
  },
};
