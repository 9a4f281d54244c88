import { useEffect } from 'preact/hooks';
import { ErrorBoundary, lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { ErrorScreen } from './frame/error-screen.tsx';
import { loadNewerBuild } from './frame/newer-build.ts';
import { Page } from './frame/page.tsx';
import { roleNames } from './frame/roles.ts';
import { Shell } from './frame/shell.tsx';
import { Login } from './login/login.tsx';
import { SCREENS, type Screen, screensOf } from './screens.ts';
import { openSession } from './shared/api.ts';
import { texts } from './shared/language.ts';
import { Failure, Message, Skeleton } from './shared/parts/message.tsx';
import { hasRole, type Me, session } from './shared/session.ts';

const t = texts({
  notFound: { en: 'There is no such page', zh: '页面不存在' },
  notFoundWhy: { en: 'The address may be old or mistyped.', zh: '地址可能已过期或输入有误。' },
  notYours: { en: 'This page is not for you', zh: '您无法查看此页面' },
  notYoursWhy: {
    en: (who: string, roles: string) => `It is for: ${who}. You are here as: ${roles}.`,
    zh: (who: string, roles: string) => `此页面适用于：${who}。您当前的身份：${roles}。`,
  },
  home: { en: 'To my start page', zh: '返回首页' },
  nothing: { en: 'Your role has no page here yet', zh: '您的角色暂无页面' },
});

const home = (me: Me): string => screensOf(me.roles)[0]?.path ?? '/none';

const toStart = () => (
  <a class="button main" href="/">
    {t.home}
  </a>
);

const NotFound = () => (
  <Page title={t.notFound}>
    <Message act={toStart()}>{t.notFoundWhy}</Message>
  </Page>
);

/**
 * A screen that does not come is of a build that is gone, so the page is loaded again; else (no network) it fails when it is shown, where
 * `Caught` is.
 */
const orFailing = async (load: Screen['load']): ReturnType<Screen['load']> => {
  try {
    return await load();
  } catch (error) {
    if (loadNewerBuild()) return new Promise(() => {});
    return {
      default: () => {
        throw error;
      },
    };
  }
};

/** The screen, for those it is for. */
const guarded = ({ path, roles, load }: Screen) => {
  const Content = lazy(() => orFailing(load));
  return () =>
    roles.some(hasRole) ? (
      <div data-screen={path.split('/')[1]}>
        <ErrorScreen>
          <Content />
        </ErrorScreen>
      </div>
    ) : (
      <Page title={t.notYours}>
        <Message tone="warn" act={toStart()}>
          {t.notYoursWhy(roleNames(roles), roleNames('me' in session.value ? session.value.me.roles : []))}
        </Message>
      </Page>
    );
};
const ROUTES = SCREENS.map((screen) => ({ path: screen.path, component: guarded(screen) }));

const Home = () => {
  const { route } = useLocation();
  const { value } = session;
  const path = 'me' in value ? home(value.me) : '/';
  useEffect(() => {
    if (path !== '/none') route(path, true);
  }, [path]);
  return path === '/none' ? <Page title={t.nothing} /> : null;
};

const Inside = ({ me }: { me: Me }) => (
  <LocationProvider>
    <Shell me={me}>
      <ErrorBoundary>
        <Router>
          <Route path="/" component={Home} />
          <Route path="/login" component={Home} />
          {ROUTES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </Shell>
  </LocationProvider>
);

/** By who is there: nobody yet, nobody, or somebody. */
export const App = () => {
  const { value } = session;
  switch (value.state) {
    case 'asking':
      return (
        <main class="alone">
          <Skeleton />
        </main>
      );
    case 'unknown':
      return (
        <main class="alone">
          <Failure error={value.error} again={openSession} />
        </main>
      );
    case 'out':
      return <Login />;
    case 'in':
    case 'ended':
      return <Inside me={value.me} />;
    default:
      return value satisfies never;
  }
};
