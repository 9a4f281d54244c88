import { texts } from '../language.ts';
import { isStoring } from '../person-storage.ts';
import { loginAddress, session } from '../session.ts';
import { unsavedText } from '../unsaved-marks.ts';
import { Message } from './message.tsx';

const t = texts({
  ended: {
    en: 'Your session has ended. You can still read this page. Log in again to continue: your entries are kept.',
    zh: '登录已过期。您仍可查看此页面；已填写的内容会保留，请重新登录后继续。',
  },
  loggedOut: {
    en: 'Your session has ended: you logged out in another window. You can still read this page, but text that you typed here is lost when you leave it.',
    zh: '您已在其他窗口退出登录。您仍可查看此页面，但离开后此处填写的内容会丢失。',
  },
  logIn: { en: 'Log in', zh: '登录' },
});

/** A message with a log-in button, if the session has ended. */
export const SessionEnded = () =>
  session.value.state === 'ended' ? (
    <Message
      tone="warn"
      action={
        <button type="button" class="button main" onClick={() => location.assign(loginAddress())}>
          {t.logIn}
        </button>
      }
    >
      {isStoring.value ? t.ended : t.loggedOut} {unsavedText()}
    </Message>
  ) : null;
