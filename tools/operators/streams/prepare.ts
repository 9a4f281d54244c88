import { isDeepStrictEqual } from 'node:util';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { BusAddress } from '../../../libs/kit/src/rpc/bus-login.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import { streamConfig, type StreamLimits } from '../../../libs/kit/src/log/stream.ts';
import { withStreams } from './managers.ts';

export interface Prepared {
  created: string[];
  changed: string[];
}

/** Whether the broker's configuration of the stream changed. The broker fills in defaults. */
const change = async ({ streams }: JetStreamManager, wanted: ReturnType<typeof streamConfig>): Promise<boolean> => {
  const before = await streams.info(wanted.name);
  const after = await streams.update(wanted.name, wanted);
  return !isDeepStrictEqual(before.config, after.config);
};

/**
 * Creates the streams of all logs or changes them to these limits, as an operator; services only create missing ones.
 */
export const prepareStreams = (bus: BusAddress, limits: StreamLimits): Promise<Prepared> =>
  withStreams(bus, 'streams', async (managers) => {
    const done: Prepared = { created: [], changed: [] };
    for (const [service, manager] of managers) {
      const names = new Set<string>();
      for await (const name of manager.streams.names()) names.add(name);
      for (const kind of logKindsOf(service)) {
        const config = streamConfig(service, kind, limits);
        if (!names.has(config.name)) {
          await manager.streams.add(config);
          done.created.push(config.name);
        } else if (await change(manager, config)) done.changed.push(config.name);
      }
    }
    return done;
  });
