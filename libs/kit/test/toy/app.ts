import { type App, routes, type Session } from '../../src/index.ts';
import { toyCalls } from './calls.ts';
import { noteRoutes } from './note.ts';

type Name = keyof typeof toyCalls;
type Act = (session: Session, title: string) => Promise<{ title: string }>;
/** What each call of the toy does; `prepare` runs before `write`, outside of its transaction. */
export type Acts = Record<Name | 'prepare', Act>;

const echo: Act = async (_session, title) => ({ title });
/** Acts that answer what they are given. */
export const echoes = (): Acts => ({
  prepare: echo,
  read: echo,
  write: echo,
  audited: echo,
  open: echo,
  internal: echo,
  operated: echo,
});

/** The toy as a service that can be started; `acts` says what its own calls do. */
export const toyApp = (acts: () => Acts): App => {
  const act =
    (name: Name) =>
    async ({ body }: { body?: { title: string } | undefined }, session: Session) =>
      acts()[name](session, body?.title ?? '');
  const write = act('write');
  return {
    name: 'course',
    routes: [
      ...noteRoutes,
      ...routes(toyCalls, {
        read: act('read'),
        write: {
          prepare: async ({ body }, session) => acts().prepare(session, body?.title ?? ''),
          run: (input, session) => write(input, session),
        },
        audited: act('audited'),
        open: act('open'),
        internal: act('internal'),
        operated: act('operated'),
      }),
    ],
    follower: undefined,
    jobs: [],
    migrations: [],
  };
};
