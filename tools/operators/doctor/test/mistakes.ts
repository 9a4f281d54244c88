import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { BROKER_CONFIG, usersConfig } from '../../broker/config.ts';
import { declarations } from '../../broker/declarations.ts';
import { withDatabase } from '../../migrate/provision.ts';
import { SIGN_CALLER } from '../../../proofs/test/signing-keys.ts';
import type { Check } from '../findings.ts';
import { OLDEST } from '../installation.ts';
import {
  changed,
  envOf,
  installation,
  listening,
  type Planted,
  planted,
  throughBroker,
  variables,
  withTls,
} from './plant-faults.ts';
import type { HealthySystem } from './healthy-system.ts';

export interface Mistake<On = HealthySystem> {
  what: string;
  plant: (well: On) => Promise<Planted> | Planted;
  check: Check;
  about: readonly string[];
  wrong: RegExp;
  mend: RegExp;
}

/** A planted fault in an otherwise healthy system, and the expected finding. */
export const MISTAKES: readonly Mistake[] = [
  {
    what: 'a variable is missing',
    plant: (well) => variables(well, { clazz: { SIGNING_SECRET: '' } }),
    check: 'variable',
    about: ['clazz'],
    wrong: /^SIGNING_SECRET is not set: /,
    mend: /^set SIGNING_SECRET in the environment of clazz$/,
  },
  {
    what: 'a variable is not what it must be',
    plant: (well) => variables(well, { stats: { DATABASE_POOL: 'many' } }),
    check: 'variable',
    about: ['stats'],
    wrong: /^DATABASE_POOL must be a whole number from 1 to 100/,
    mend: /^correct DATABASE_POOL in the environment of stats$/,
  },
  {
    what: 'a secret is in a file that cannot be read',
    plant: (well) => variables(well, { course: { NATS_PASSWORD: '', NATS_PASSWORD_FILE: '/nowhere/password' } }),
    check: 'variable',
    about: ['course'],
    wrong: /^NATS_PASSWORD_FILE names a file that cannot be read: \/nowhere\/password/,
    mend: /^make the file readable for the user that course runs as/,
  },
  {
    what: 'a process logs in to the broker as another',
    plant: (well) => variables(well, { package: { NATS_USER: 'course', NATS_PASSWORD: well.secrets.nats.course } }),
    check: 'user',
    about: ['package'],
    wrong: /^NATS_USER of package is course$/,
    mend: /^set NATS_USER=package /,
  },
  {
    what: 'the gateway signs with a key that services do not know',
    plant: (well) => variables(well, { gateway: { CALLER_SEAL_KEY: SIGN_CALLER } }),
    check: 'seal-keys',
    about: ['clazz', 'course', 'package', 'stats'],
    wrong: /^CALLER_KEYS does not hold the public half/,
    mend: /CALLER_KEYS of each service/,
  },
  {
    what: 'one process has another signing secret',
    plant: (well) => variables(well, { stats: { SIGNING_SECRET: 'x'.repeat(40) } }),
    check: 'signing-secret',
    about: ['stats'],
    wrong: /^SIGNING_SECRET differs from the other processes/,
    mend: /same list in SIGNING_SECRET/,
  },
  {
    what: 'the token issuer cannot be reached',
    plant: async (well) => {
      const { port, close } = await listening(createServer());
      await close();
      return variables(well, { gateway: { JWKS_FILE: '', JWKS_URL: `http://127.0.0.1:${port}/jwks.json` } });
    },
    check: 'token-keys',
    about: ['gateway'],
    wrong: /^the keys at JWKS_URL cannot be read: .*ECONNREFUSED/,
    mend: /correct JWKS_URL/,
  },
  {
    what: 'the token issuer publishes something else',
    plant: async (well) => {
      const { port, close } = await listening(createServer((_request, response) => response.end('{"keys":[]}')));
      const JWKS_URL = `http://127.0.0.1:${port}/`;
      return { installation: installation(well, { gateway: { JWKS_FILE: '', JWKS_URL } }), undo: close };
    },
    check: 'token-keys',
    about: ['gateway'],
    wrong: /^no key at JWKS_URL verifies ES256$/,
    mend: /JWT_ALGORITHM/,
  },
  {
    what: 'the login provider is something else',
    plant: async (well) => {
      const { port, close } = await listening(createServer((_request, response) => response.end('hello')));
      const CONSOLE_URL = 'http://127.0.0.1:8080';
      const client = { OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'x'.repeat(40) };
      const OIDC_ISSUER = `http://127.0.0.1:${port}`;
      return { installation: installation(well, { gateway: { OIDC_ISSUER, CONSOLE_URL, ...client } }), undo: close };
    },
    check: 'login-provider',
    about: ['gateway'],
    wrong: /^no log-in is possible: there is no OpenID provider at http:\/\/127\.0\.0\.1:\d+\/: ./,
    mend: /correct OIDC_ISSUER/,
  },
  {
    what: 'the keys are of another algorithm',
    plant: (well) => variables(well, { gateway: { JWT_ALGORITHM: 'RS256' } }),
    check: 'token-keys',
    about: ['gateway'],
    wrong: /^JWKS_FILE names a file that holds no public key that verifies RS256/,
    mend: /JWT_ALGORITHM/,
  },
  {
    what: 'Postgres is not where a URL says',
    plant: (well) => {
      const url = changed(envOf(well, 'clazz', 'DATABASE_URL'), (one) => {
        one.hostname = '127.0.0.1';
        one.port = '1';
      });
      return variables(well, { clazz: { DATABASE_URL: url } });
    },
    check: 'postgres',
    about: ['clazz'],
    wrong: /^Postgres at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    mend: /^start it, correct host and port/,
  },
  {
    what: 'there is no such database',
    plant: (well) =>
      variables(well, {
        course: { WORKER_DATABASE_URL: withDatabase(envOf(well, 'course', 'WORKER_DATABASE_URL'), 'nowhere') },
      }),
    check: 'database',
    about: ['course'],
    wrong: /^there is no database nowhere at /,
    mend: /^run migrate/,
  },
  {
    what: 'a role has another password',
    plant: (well) =>
      variables(well, {
        package: {
          DATABASE_URL: changed(envOf(well, 'package', 'DATABASE_URL'), (one) => (one.password = 'planted-wrong-one')),
        },
      }),
    check: 'password',
    about: ['package'],
    wrong: /^Postgres refuses the password of package_app \(DATABASE_URL\)$/,
    mend: /the password that migrate gave package_app/,
  },
  {
    what: 'requests are served as the role of another service',
    plant: (well) => variables(well, { stats: { DATABASE_URL: envOf(well, 'course', 'DATABASE_URL') } }),
    check: 'role',
    about: ['stats'],
    wrong: /^DATABASE_URL logs in as course_app, not as stats_app$/,
    mend: /the login of stats_app/,
  },
  {
    what: 'requests are served as the owner of a table',
    plant: (well) =>
      planted(
        well,
        'alter table course.course_group owner to course_app',
        'alter table course.course_group owner to course_owner',
      ),
    check: 'role',
    about: ['course'],
    wrong: /^course_app owns course\.course_group, or is a member of its owner/,
    mend: /^alter table course\.course_group owner to course_owner, or revoke course_owner from course_app$/,
  },
  {
    what: 'Postgres is too old',
    plant: (well) => ({ installation: installation(well, {}, { oldest: { ...OLDEST, postgres: 99 } }) }),
    check: 'postgres-version',
    about: ['clazz', 'course', 'package', 'stats'],
    wrong: /^Postgres is \d+, but must be 99 or newer$/,
    mend: /^upgrade Postgres$/,
  },
  {
    what: 'the broker is too old',
    plant: (well) => ({ installation: installation(well, {}, { oldest: { ...OLDEST, broker: [2, 99] } }) }),
    check: 'broker-version',
    about: ['gateway', 'clazz', 'course', 'package', 'stats'],
    wrong: /^nats-server is 2\.\d+\.\d+, but must be 2\.99 or newer$/,
    mend: /^upgrade it$/,
  },
  {
    what: 'a role lacks its rights',
    plant: (well) =>
      planted(
        well,
        'revoke usage on schema course from course_worker',
        'grant usage on schema course to course_worker',
      ),
    check: 'rights',
    about: ['course'],
    wrong: /^course_worker may not use the schema course$/,
    mend: /^run migrate/,
  },
  {
    what: 'a migration is pending',
    plant: (well) =>
      planted(
        well,
        "update package.schema_migration set name = 'xxx' || name where id = (select max(id) from package.schema_migration)",
        "update package.schema_migration set name = substr(name, 4) where name like 'xxx%'",
      ),
    check: 'migrations',
    about: ['package'],
    wrong: /^the schema package lacks \S+$/,
    mend: /^run migrate$/,
  },
  {
    what: 'the schema is newer',
    plant: (well) =>
      planted(
        well,
        "insert into stats.schema_migration (name, executed_at) values ('999_from_tomorrow', now())",
        "delete from stats.schema_migration where name = '999_from_tomorrow'",
      ),
    check: 'migrations',
    about: ['stats'],
    wrong: /^the schema stats is newer than this code: it has 999_from_tomorrow$/,
    mend: /^run the newer version/,
  },
  {
    what: 'Postgres has too few connections',
    plant: (well) => {
      const many = { DATABASE_POOL: '100', DATABASE_LANES: '50' };
      return variables(well, { clazz: many, course: many, package: many });
    },
    check: 'connections',
    about: ['clazz', 'course', 'package', 'stats'],
    wrong: /^services open up to \d+ connections with 1 instances of each, but Postgres accepts \d+$/,
    mend: /^raise max_connections to \d+/,
  },
  {
    what: 'the clocks differ',
    plant: (well) => ({ installation: installation(well, {}, { clock: () => new Date(Date.now() + 20_000) }) }),
    check: 'clock',
    about: ['machine'],
    wrong: /^the clocks of Postgres and of this machine differ by \d+ s$/,
    mend: /NTP/,
  },
  {
    what: 'no broker is where the URL says',
    plant: (well) => variables(well, { clazz: { NATS_URL: 'nats://127.0.0.1:1' } }),
    check: 'broker',
    about: ['clazz'],
    wrong: /^no broker can be reached at nats:\/\/127\.0\.0\.1:1: /,
    mend: /correct NATS_URL/,
  },
  {
    what: 'the broker refuses a password',
    plant: (well) => variables(well, { gateway: { NATS_PASSWORD: 'planted-wrong-one' } }),
    check: 'login',
    about: ['gateway'],
    wrong: /^the broker refuses user gateway \(NATS_USER, NATS_PASSWORD\) of gateway$/,
    mend: /the same login/,
  },
  {
    what: 'JetStream is not enabled',
    plant: (well) => throughBroker(well, { config: BROKER_CONFIG.replace(/jetstream \{[^}]*\}/, ''), streams: false }),
    check: 'jetstream',
    about: ['gateway', 'clazz', 'course', 'package', 'stats'],
    wrong: /^JetStream is not enabled/,
    mend: /deploy\/nats\/nats\.conf/,
  },
  {
    what: 'the broker has the rights of an older version',
    plant: (well) =>
      throughBroker(well, {
        users: usersConfig(declarations).replace(/^ *"call\.clazz\.\*\.course\.roster\.get"$/m, ''),
      }),
    check: 'permissions',
    about: ['course'],
    wrong: /^the broker does not let course publish call\.clazz\.doctor\.course\.roster\.get$/,
    mend: /teaching nats config/,
  },
  {
    what: 'the broker takes small messages only',
    plant: (well) => throughBroker(well, { config: BROKER_CONFIG.replace('max_payload: 8MB', 'max_payload: 1MB') }),
    check: 'payload',
    about: ['gateway', 'clazz', 'course', 'package', 'stats'],
    wrong: /^max_payload of the broker is 1048576 bytes/,
    mend: /^set max_payload to 8388608/,
  },
  {
    what: 'there are no streams',
    plant: async (well) => ({
      installation: installation(well, { package: { NATS_URL: await well.anotherBroker({ streams: false }) } }),
    }),
    check: 'streams',
    about: ['package'],
    wrong: /^there is no stream EVENTS_PACKAGE$/,
    mend: /^run migrate with NATS_URL/,
  },
  {
    what: 'a stream is smaller than it should be',
    plant: (well) => variables(well, { course: { STREAM_MAX_BYTES: '5000000000' } }),
    check: 'streams',
    about: ['course'],
    wrong: /^the stream EVENTS_COURSE holds 1000000000 bytes, not 5000000000/,
    mend: /teaching streams/,
  },
  {
    what: 'another program has the port',
    plant: async (well) => {
      const { port, close } = await listening(createTcpServer((socket) => socket.destroy()));
      return { installation: installation(well, { gateway: { PORT: port } }), undo: close };
    },
    check: 'port',
    about: ['gateway'],
    wrong: /^another program listens on port \d+ \(PORT\)$/,
    mend: /^change PORT of gateway/,
  },
  {
    what: 'a disk is full',
    plant: (well) => ({ installation: installation(well, {}, { leastFree: 1e18 }) }),
    check: 'disk',
    about: ['machine'],
    wrong: /^the disk of \S+ has \d+ MB left, less than 1000000000000 MB$/,
    mend: /free space/,
  },
  {
    what: 'a certificate is near its end',
    plant: (well) => withTls(well, 5, true),
    check: 'certificate',
    about: ['clazz'],
    wrong: /^a certificate in NATS_CERT ends on \d{4}-\d\d-\d\d$/,
    mend: /^replace it/,
  },
  {
    what: 'a certificate is beside the key of another',
    plant: (well) => withTls(well, 20, false),
    check: 'certificate',
    about: ['clazz'],
    wrong: /^the certificate in NATS_CERT does not belong to the private key beside it$/,
    mend: /the same request/,
  },
];
