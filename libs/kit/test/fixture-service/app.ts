import { type App, routes, type Session, type WrittenAnswer } from '../../src/index.ts';
import { fixtureServiceCalls } from './calls.ts';
import { noteRoutes } from './note.ts';

type Name = keyof typeof fixtureServiceCalls;
type Act = (session: Session, title: string) => Promise<{ title: string } | WrittenAnswer<{ title: string }>>;
/** What each call of the toy does; `prepare` runs before `write` and `owned`, outside of their transaction. */
export type FixtureActions = Record<Name | 'prepare', Act>;

const echo: Act = async (_session, title) => ({ title });
/** Acts that answer what they are given. */
export const echoCalls = (): FixtureActions => ({
  prepare: echo,
  read: echo,
  write: echo,
  audited: echo,
  owned: echo,
  seen: echo,
  open: echo,
  internal: echo,
  operated: echo,
});

/** The toy as a service that can be started; `acts` says what its own calls do. */
export const fixtureServiceApp = (acts: () => FixtureActions): App => {
  const act =
    (name: Name) =>
    async ({ body }: { body?: { title: string } | undefined }, session: Session) =>
      acts()[name](session, body?.title ?? '');
  const writing = (name: Name) => ({
    prepare: async ({ body }: { body?: { title: string } | undefined }, session: Session) =>
      acts().prepare(session, body?.title ?? ''),
    run: act(name),
  });
  return {
    name: 'course',
    modules: [
      {
        routes: [
          ...noteRoutes,
          ...routes(fixtureServiceCalls, {
            read: act('read'),
            write: writing('write'),
            audited: act('audited'),
            owned: writing('owned'),
            seen: act('seen'),
            open: act('open'),
            internal: act('internal'),
            operated: act('operated'),
          }),
        ],
      },
    ],
    follower: undefined,
    migrations: [],
  };
};
