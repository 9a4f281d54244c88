import { useEffect } from 'preact/hooks';
import { LanguageChoice } from '../shared/parts/language-choice.tsx';
import { Message } from '../shared/parts/message.tsx';
import { texts } from '../shared/language.ts';
import { loginAddress } from '../shared/session.ts';

const t = texts({
  title: { en: 'Welcome', zh: '欢迎' },
  about: {
    en: 'Timetables, roll calls, leave and lesson hours of your school.',
    zh: '查看学校的课表、点名、请假和课时。',
  },
  logIn: { en: 'Log in', zh: '登录' },
  denied: { en: 'The log-in was not completed. Try again.', zh: '登录未完成，请重试。' },
  expired: {
    en: 'The log-in took too long, or was started in another window. Try again.',
    zh: '登录超时，或在其他窗口开始。请重试。',
  },
  noAccess: {
    en: 'Your log-in works, but you are not a member of a school here. Ask your office to add you.',
    zh: '已确认您的身份，但您不属于任何学校。请联系教务添加。',
  },
  inactive: { en: 'Your school has closed your access. Ask your office.', zh: '学校已停用您的账户，请联系教务。' },
  failed: { en: 'Something went wrong with the log-in. Try again.', zh: '登录出错，请重试。' },
  unavailable: {
    en: 'The log-in service is not responding. Try again in a minute.',
    zh: '登录服务暂时没有响应，请稍后重试。',
  },
});

/** The texts by the query parameter `problem`, which the gateway sets after a failed log-in. */
const PROBLEMS: Readonly<Record<string, () => string>> = {
  denied: () => t.denied,
  expired: () => t.expired,
  no_access: () => t.noAccess,
  inactive: () => t.inactive,
  unavailable: () => t.unavailable,
  failed: () => t.failed,
};

/** The page for a visitor who is not logged in. */
export const Login = () => {
  const problem = PROBLEMS[new URLSearchParams(location.search).get('problem') ?? ''];
  useEffect(() => {
    document.title = t.title;
  });
  return (
    <main class="alone">
      <div class="card">
        <img src="/icon.svg" alt="" />
        <h1>{t.title}</h1>
        {problem === undefined ? <p class="muted">{t.about}</p> : <Message tone="warn">{problem()}</Message>}
        <a class="button main" href={loginAddress()}>
          {t.logIn}
        </a>
        <LanguageChoice />
      </div>
    </main>
  );
};
