import { signal } from '@preact/signals';
import { Message } from '../shared/parts/message.tsx';
import { texts } from '../shared/language.ts';
import { SessionEnded } from '../shared/parts/session-ended.tsx';
import { session } from '../shared/session.ts';

const t = texts({
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
  if (session.value.state !== 'ended' && isOnline.value) return null;
  return (
    <div class="banner no-print">
      <SessionEnded />
      {!isOnline.value && <Message tone="warn">{t.offline}</Message>}
    </div>
  );
};
