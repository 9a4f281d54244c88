import { connection } from '../shared/connection.ts';
import { Message } from '../shared/parts/message.tsx';
import { texts } from '../shared/language.ts';
import { SessionEnded } from '../shared/parts/session-ended.tsx';
import { hasRole, session } from '../shared/session.ts';

const t = texts({
  noServer: {
    en: 'The server does not answer; this device has a network. You see the data that was loaded last. The page continues by itself as soon as the server answers.',
    zh: '服务器没有响应（此设备的网络正常）。显示的是上次加载的内容；服务器恢复后页面会自动继续。',
  },
  offline: {
    en: 'No network. You see the data that was loaded last.',
    zh: '网络已断开。显示的是上次加载的内容。',
  },
  offlineMarks: {
    en: 'No network. You see the data that was loaded last. Roll calls are saved on this device and sent later.',
    zh: '网络已断开。显示的是上次加载的内容；点名会先保存在本机，稍后发送。',
  },
});

/** Messages about the whole page: the session has ended, the server does not answer, or there is no network. */
export const Banners = () => {
  if (session.value.state !== 'ended' && connection.value === 'ok') return null;
  return (
    <div class="banner no-print">
      <SessionEnded />
      {connection.value === 'no-network' && (
        <Message tone="warn">{hasRole('TEACHER') || hasRole('SUPERVISOR') ? t.offlineMarks : t.offline}</Message>
      )}
      {connection.value === 'no-server' && <Message tone="warn">{t.noServer}</Message>}
    </div>
  );
};
