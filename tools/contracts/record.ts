import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { allCalls, allEvents } from '../../libs/contracts/src/index.ts';
import type { Json } from './additive.ts';

export const RECORD_FILE = fileURLToPath(new URL('../../libs/contracts/contracts.json', import.meta.url));

/** What outsiders rely on: calls with a route, and events. */
export interface Contracts {
  calls: Record<
    string,
    { route: string; who: Json; status: number; input: Record<'path' | 'query' | 'body', Json>; output: Json }
  >;
  events: Record<string, Json>;
}

const schema = (type: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(rest));
};

export const currentContracts = (): Contracts => ({
  calls: Object.fromEntries(
    allCalls.flatMap((call) =>
      call.http === null
        ? []
        : [
            [
              call.id,
              {
                route: `${call.http.method} ${call.http.path}`,
                who: call.who,
                status: call.status,
                input: {
                  path: schema(call.path, 'input'),
                  query: schema(call.query, 'input'),
                  body: schema(call.body, 'input'),
                },
                output: schema(call.output, 'output'),
              },
            ],
          ],
    ),
  ),
  events: Object.fromEntries(allEvents.map((event) => [event.type, schema(event.data, 'output')])),
});

export const recordedContracts = (): Contracts =>
  existsSync(RECORD_FILE) ? JSON.parse(readFileSync(RECORD_FILE, 'utf8')) : { calls: {}, events: {} };
