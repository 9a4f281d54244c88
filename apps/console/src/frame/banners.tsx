import { signal } from '@preact/signals';
import { Message } from '../shared/parts/message.tsx';
import { texts } from '../shared/language.ts';
import { loginAddress, session } from '../shared/session.ts';
import { unsavedText } from '../shared/unsaved-marks.ts';

const t = texts({
  ended: {
    en: 'Your session has ended. You can still read this page. Log in again to continue.',
    zh: '登录已过期。当前内容会保留，请重新登录后继续。',
  },
  logIn: { en: 'Log in', zh: '登录' },
  offline: {
    en: 'No network. You see the data that was loaded last. Roll calls are saved on this device and sent later.',
    zh: '网络已断开。显示的是上次加载的内容；点名会先保存在本机，稍后发送。',
  },
});

const isOnline = signal(navigator.onLine);
addEventListener('online', () => {
  isOnline.value = true;
});
addEventListener('offline', () => {
  isOnline.value = false;
});

/** Messages about the whole page: the session has ended, or there is no network. */
export const Banners = () => {
  const isEnded = session.value.state === 'ended';
  if (!isEnded && isOnline.value) return null;
  return (
    <div class="banner no-print">
      {isEnded && (
        <Message
          tone="warn"
          action={
            <button type="button" class="button main" onClick={() => location.assign(loginAddress())}>
              {t.logIn}
            </button>
          }
        >
          {t.ended} {unsavedText()}
        </Message>
      )}
      {!isOnline.value && <Message tone="warn">{t.offline}</Message>}
    </div>
  );
};
