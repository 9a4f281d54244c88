import { type App, routes, type Session, type SerializedAnswer } from '../../src/index.ts';
import { fixtureServiceCalls } from './calls.ts';
import { noteRoutes } from './note.ts';

type Name = keyof typeof fixtureServiceCalls;
type Action = (session: Session, title: string) => Promise<{ title: string } | SerializedAnswer<{ title: string }>>;
/**
 * The action of each call of the fixture service. `prepare` runs before `write` and `owned`, outside their
 * transaction.
 */
export type FixtureActions = Record<Name | 'prepare', Action>;

const echo: Action = async (_session, title) => ({ title });
/** Actions that return the title of the request. */
export const echoActions = (): FixtureActions => ({
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

/** The fixture service as an app that can be started. `actions` returns the current actions of its calls. */
export const fixtureServiceApp = (actions: () => FixtureActions): App => {
  const handlerOf =
    (name: Name) =>
    async ({ body }: { body?: { title: string } | undefined }, session: Session) =>
      actions()[name](session, body?.title ?? '');
  const writeHandlerOf = (name: Name) => ({
    prepare: async ({ body }: { body?: { title: string } | undefined }, session: Session) =>
      actions().prepare(session, body?.title ?? ''),
    run: handlerOf(name),
  });
  return {
    name: 'course',
    modules: [
      {
        routes: [
          ...noteRoutes,
          ...routes(fixtureServiceCalls, {
            read: handlerOf('read'),
            write: writeHandlerOf('write'),
            audited: handlerOf('audited'),
            owned: writeHandlerOf('owned'),
            seen: handlerOf('seen'),
            open: handlerOf('open'),
            internal: handlerOf('internal'),
            operated: handlerOf('operated'),
          }),
        ],
      },
    ],
    follower: undefined,
    migrations: [],
  };
};
