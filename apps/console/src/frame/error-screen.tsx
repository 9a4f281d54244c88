import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { texts } from '../shared/language.ts';
import { Message } from '../shared/parts/message.tsx';
import { Page } from './page.tsx';

const t = texts({
  title: { en: 'This page could not be opened', zh: '页面无法打开' },
  offline: {
    en: 'It was not loaded before, and there is no network now.',
    zh: '此页面尚未加载过，且当前没有网络。',
  },
  reload: { en: 'Load again', zh: '重新加载' },
  why: {
    en: 'It may have changed since you opened it. Load it again; what you saved is kept.',
    zh: '页面可能已更新，请重新加载；已保存的内容不会丢失。',
  },
});

/** Replaces a screen that throws while it renders: its file belongs to an older build, or the screen has a fault. */
export const ErrorScreen = ({ children }: { children: ComponentChildren }) => {
  const [error] = useErrorBoundary((caught: unknown) => console.error(caught));
  if (error === undefined) return <>{children}</>;
  return (
    <Page title={t.title}>
      <Message
        tone="bad"
        action={
          <button type="button" class="button" onClick={() => location.reload()}>
            {t.reload}
          </button>
        }
      >
        {navigator.onLine ? t.why : t.offline}
      </Message>
    </Page>
  );
};
