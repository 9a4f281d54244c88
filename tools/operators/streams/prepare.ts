import { isDeepStrictEqual } from 'node:util';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { SERVICES } from '../../../libs/contracts/src/index.ts';
import { type BusAddress, connectOnce } from '../../../libs/kit/src/rpc/bus-login.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import { streamConfig, type StreamLimits } from '../../../libs/kit/src/log/stream.ts';

/** The only stream of release 0.1.0. Its subjects overlap with those of the logs. */
const FORMER = 'EVENTS';

export interface Prepared {
  created: string[];
  changed: string[];
  removed: string[];
}

/** Whether the broker's configuration of the stream changed. The broker fills in defaults. */
const change = async ({ streams }: JetStreamManager, wanted: ReturnType<typeof streamConfig>): Promise<boolean> => {
  const before = await streams.info(wanted.name);
  const after = await streams.update(wanted.name, wanted);
  return !isDeepStrictEqual(before.config, after.config);
};

/**
 * Creates the streams of all logs or changes them to these limits, as an operator; services only create missing ones. Removes the
 * stream of release 0.1.0, whose content is in the logs and is published again.
 */
export const prepareStreams = async (bus: BusAddress, limits: StreamLimits): Promise<Prepared> => {
  const nc = await connectOnce(bus, 'streams');
  const done: Prepared = { created: [], changed: [], removed: [] };
  try {
    const manager = await jetstreamManager(nc);
    const names = new Set<string>();
    for await (const name of manager.streams.names()) names.add(name);
    if (names.has(FORMER)) {
      await manager.streams.delete(FORMER);
      done.removed.push(FORMER);
    }
    for (const service of SERVICES) {
      for (const kind of logKindsOf(service)) {
        const config = streamConfig(service, kind, limits);
        if (!names.has(config.name)) {
          await manager.streams.add(config);
          done.created.push(config.name);
        } else if (await change(manager, config)) done.changed.push(config.name);
      }
    }
    return done;
  } finally {
    await nc.close();
  }
};
