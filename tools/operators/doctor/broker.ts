import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BrokerUser } from '../../../libs/contracts/src/index.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import { streamConfig } from '../../../libs/kit/src/log/stream.ts';
import { LEAST_PAYLOAD } from '../broker/config.ts';
import { declarations } from '../broker/declarations.ts';
import { permissionsOf } from '../broker/permissions.ts';
import { isolatesAccounts } from '../../../libs/kit/src/ops/broker-isolation.rules.ts';
import { isOnThisMachine } from './broker-isolation.rules.ts';
import { type BrokerLogin, connected, forbidden } from './broker-login.ts';
import type { Finding } from './findings.ts';
import type { Configs, Installation, ReadService } from './installation.ts';

type Oldest = Installation['oldest']['broker'];

/** The most subjects that a finding names. */
const NAMED = 3;

interface Speaker extends BrokerLogin {
  user?: BrokerUser;
  service?: ReadService;
}

const serverFindings = (
  { process, address }: Speaker,
  nc: NatsConnection,
  [wantedMajor, wantedMinor]: Oldest,
): Finding[] => {
  const about = [process];
  const { version = '0', max_payload = 0, jetstream = false } = nc.info ?? {};
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old: Finding = {
    check: 'broker-version',
    about,
    wrong: `nats-server is ${version}, but must be ${wantedMajor}.${wantedMinor} or newer`,
    mend: 'upgrade it',
  };
  const open: Finding = {
    check: 'broker-version',
    about,
    wrong: `nats-server is ${version}, which does not keep clients within their accounts (CVE-2025-30215, CVE-2026-33223)`,
    mend: 'upgrade it to 2.11.15, 2.12.6 or newer (docs/upgrade.md)',
  };
  const off: Finding = {
    check: 'jetstream',
    about,
    wrong: 'JetStream is not enabled at the broker: events could not be published',
    mend: 'start the broker with deploy/nats/nats.conf, or with a jetstream block of its own',
  };
  const narrow: Finding = {
    check: 'payload',
    about,
    wrong: `max_payload of the broker is ${max_payload} bytes, less than ${LEAST_PAYLOAD}`,
    mend: `set max_payload to ${LEAST_PAYLOAD} at least, as deploy/nats/nats.conf does`,
  };
  return [
    ...(major < wantedMajor || (major === wantedMajor && minor < wantedMinor) ? [old] : []),
    ...(isolatesAccounts(version) || isOnThisMachine(address.NATS_URL) ? [] : [open]),
    ...(jetstream ? [] : [off]),
    ...(max_payload < LEAST_PAYLOAD ? [narrow] : []),
  ];
};

/** Checks the stream of each log: that it exists, with all of its subjects and the configured limits. */
const streamFindings = async ({ name, config }: ReadService, nc: NatsConnection): Promise<Finding[]> => {
  const manager = await jetstreamManager(nc, { checkAPI: false });
  const limits = { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES };
  const found = logKindsOf(name).map(async (kind): Promise<string | undefined> => {
    const wanted = streamConfig(name, kind, limits);
    const info = await manager.streams.info(wanted.name).catch(() => undefined);
    if (info === undefined) return `there is no stream ${wanted.name}`;
    const { max_bytes, num_replicas, subjects } = info.config;
    if (!wanted.subjects.every((one) => subjects.includes(one))) return `the stream ${wanted.name} lacks subjects`;
    if (num_replicas < limits.replicas)
      return `the stream ${wanted.name} has ${num_replicas} replicas, not ${limits.replicas} (STREAM_REPLICAS)`;
    if (max_bytes !== -1 && max_bytes < limits.max_bytes)
      return `the stream ${wanted.name} holds ${max_bytes} bytes, not ${limits.max_bytes} (STREAM_MAX_BYTES)`;
    return undefined;
  });
  const mend = 'run migrate with NATS_URL and a login of its admin, or teaching streams';
  return (await Promise.all(found)).flatMap((wrong) =>
    wrong === undefined ? [] : [{ check: 'streams' as const, about: [name], wrong, mend }],
  );
};

const rightsFindings = async (user: BrokerUser, nc: NatsConnection): Promise<Finding[]> => {
  const refused = await forbidden(nc, permissionsOf(declarations, user));
  if (refused.length === 0) return [];
  const named = refused.slice(0, NAMED).join(', ');
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : '';
  return [
    {
      check: 'permissions',
      about: [user],
      wrong: `the broker does not let ${user} ${named}${more}`,
      mend: 'write its permissions again (teaching nats config) and reload the broker',
    },
  ];
};

const speakersOf = ({ gateway, services }: Configs): Speaker[] => [
  ...(gateway === undefined ? [] : [{ process: 'gateway', user: 'gateway' as const, address: gateway }]),
  ...services.map((service) => ({ process: service.name, user: service.name, service, address: service.config })),
];

const lookAs = async (speaker: Speaker, oldest: Oldest): Promise<Finding[]> => {
  const nc = await connected(speaker);
  if ('check' in nc) return [nc];
  try {
    const { user, service } = speaker;
    const findings = serverFindings(speaker, nc, oldest);
    // A process under another user's name has its own finding.
    if (user === undefined || speaker.address.NATS_USER !== user) return findings;
    if (service !== undefined && nc.info?.jetstream === true) findings.push(...(await streamFindings(service, nc)));
    return [...findings, ...(await rightsFindings(user, nc))];
  } catch (error) {
    const wrong = `the broker does not answer ${speaker.process}: ${reasonOf(error)}`;
    return [{ check: 'broker', about: [speaker.process], wrong, mend: 'read the log of the broker' }];
  } finally {
    await nc.close();
  }
};

/** Examines the broker as each process sees it, except processes whose login is known to fail. */
export const broker = async (configs: Configs, unable: readonly string[], oldest: Oldest): Promise<Finding[]> => {
  const speakers = speakersOf(configs).filter(({ process }) => !unable.includes(process));
  return (await Promise.all(speakers.map((speaker) => lookAs(speaker, oldest)))).flat();
};
