export interface Pattern {
  regex: string;
  message: string;
  allowTypeImports?: boolean;
}

const SERVICES = ['gateway', 'clazz', 'course', 'package', 'stats'];
/** No code of a service needs the local runner. */
const RUNNER = 'local';

/** A service knows its own files, the kit and the contracts. */
const serviceWall = (name: string): Pattern => {
  const others = [...SERVICES, RUNNER].filter((other) => other !== name).join('|');
  return {
    regex: `^@?fastify|@teaching/(${others})|services/|(${others})/src|tools/`,
    message: 'a service knows its own files, the kit and the contracts',
  };
};

/** Packages that no file of a folder may import. */
export const BOUNDARIES: Readonly<Record<string, readonly Pattern[]>> = {
  'libs/contracts/src': [
    { regex: '^(@|node:|[a-yA-Z]|z[^o]|zo[^d]|zod.)', message: 'contracts import zod only' },
    { regex: '(kit|services)/', message: 'contracts import zod only' },
  ],
  'libs/kit/src': [
    {
      regex: `services/|@teaching/(client|${RUNNER}|${SERVICES.join('|')})|^fastify|tools/`,
      message: 'the kit knows no service',
    },
  ],
  'libs/client/src': [
    {
      regex: `^(node:|[a-y]|@[^t]|@teaching/(kit|${RUNNER}|${SERVICES.join('|')}))|services/|tools/`,
      message: 'the client knows the contracts only',
    },
  ],
  'apps/console/src': [
    {
      regex: `^node:|^@teaching/client$|@teaching/(kit|${RUNNER}|${SERVICES.join('|')})|services/|libs/|tools/`,
      message: 'the console knows the API by the small form of the client only',
    },
    {
      regex: '^(zod|@teaching/contracts)',
      message: 'schemas are most of the weight of a page: types only',
      allowTypeImports: true,
    },
  ],
  'services/gateway/src': [
    {
      regex: `mikro-orm|^pg$|@teaching/(${RUNNER}|clazz|course|package|stats)|(clazz|course|package|stats)/src|tools/`,
      message: 'the gateway knows no database and no service',
    },
  ],
  'services/clazz/src': [serviceWall('clazz')],
  'services/course/src': [serviceWall('course')],
  'services/package/src': [serviceWall('package')],
  'services/stats/src': [serviceWall('stats')],
};

/** Rules decide about their input only. */
export const PURE: readonly Pattern[] = [
  {
    regex: 'mikro-orm|^pg$|@nats-io|^node:(fs|net|http|child_process)',
    message: 'rules are pure: no I/O, no ORM, no clock',
  },
  { regex: '\\.table\\.ts$', message: 'rules know rows by their type only', allowTypeImports: true },
];

/** The layers above a layer, or beside it. */
export const layersAbove = (rooms: readonly (readonly string[])[], room: string): Pattern[] => {
  const level = rooms.findIndex((names) => names.includes(room));
  const names = rooms
    .slice(0, level + 1)
    .flat()
    .filter((name) => name !== room);
  return names.length === 0
    ? []
    : [
        {
          regex: `^(\\.\\./)+(${names.join('|')})/`,
          message: `${room}/ lies below, or beside: see tools/developers/lint/layers.ts`,
        },
      ];
};
