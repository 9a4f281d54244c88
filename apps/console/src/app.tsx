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
  notFound: { en: 'Page not found', zh: '页面不存在' },
  notFoundWhy: { en: 'The address may be out of date or mistyped.', zh: '地址可能已过期或输入有误。' },
  notYours: { en: 'You cannot open this page', zh: '您无法查看此页面' },
  notYoursWhy: {
    en: (allowed: string, own: string) => `This page is for: ${allowed}. Your role: ${own}.`,
    zh: (allowed: string, own: string) => `此页面适用于：${allowed}。您当前的身份：${own}。`,
  },
  home: { en: 'To my start page', zh: '返回首页' },
  nothing: { en: 'Your role has no page here yet', zh: '您的角色暂无页面' },
});

const startPath = (me: Me): string => screensOf(me.roles)[0]?.path ?? '/none';

const startLink = () => (
  <a class="button main" href="/">
    {t.home}
  </a>
);

const NotFound = () => (
  <Page title={t.notFound}>
    <Message action={startLink()}>{t.notFoundWhy}</Message>
  </Page>
);

/**
 * A screen's file that cannot be loaded may belong to an older build, so the page is loaded again. Without network
 * the screen throws when it is rendered, and `ErrorScreen` shows the failure.
 */
const loadOrThrow = async (load: Screen['load']): ReturnType<Screen['load']> => {
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

/** Shows the screen to members with one of its roles, and a message to others. */
const withRoleCheck = ({ path, roles, load }: Screen) => {
  const Content = lazy(() => loadOrThrow(load));
  return () =>
    roles.some(hasRole) ? (
      <div data-screen={path.split('/')[1]}>
        <ErrorScreen>
          <Content />
        </ErrorScreen>
      </div>
    ) : (
      <Page title={t.notYours}>
        <Message tone="warn" action={startLink()}>
          {t.notYoursWhy(roleNames(roles), roleNames('me' in session.value ? session.value.me.roles : []))}
        </Message>
      </Page>
    );
};
const ROUTES = SCREENS.map((screen) => ({ path: screen.path, component: withRoleCheck(screen) }));

const Home = () => {
  const { route } = useLocation();
  const { value } = session;
  const path = 'me' in value ? startPath(value.me) : '/';
  useEffect(() => {
    if (path !== '/none') route(path, true);
  }, [path]);
  return path === '/none' ? <Page title={t.nothing} /> : null;
};

const LoggedInApp = ({ me }: { me: Me }) => (
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

/** Shows the log-in, the screens or a loading state, by the state of the session. */
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
          <Failure error={value.error} retry={openSession} />
        </main>
      );
    case 'out':
      return <Login />;
    case 'in':
    case 'ended':
      return <LoggedInApp me={value.me} />;
    default:
      return value satisfies never;
  }
};
