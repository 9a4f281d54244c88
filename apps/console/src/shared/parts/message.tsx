import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { common } from '../common-texts.ts';
import { connection } from '../connection.ts';
import { texts } from '../language.ts';
import { requestIdOf, remedyOf } from '../problem-texts.ts';

const t = texts({
  slow: { en: 'This takes longer than usual. The page keeps trying.', zh: '加载时间较长，页面会继续尝试。' },
  noServer: {
    en: 'The server does not answer. The page keeps trying.',
    zh: '服务器没有响应，页面会继续尝试。',
  },
  noNetwork: { en: 'This device has no network.', zh: '此设备没有网络。' },
});

/** Loading is explained after this time. */
const SLOW_MS = 4_000;

type Tone = 'info' | 'good' | 'warn' | 'bad';

/** A message with an optional button in `action`. */
export const Message = ({
  tone = 'info',
  action,
  children,
}: {
  tone?: Tone;
  action?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <div class={`message ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <div>{children}</div>
    {action}
  </div>
);

/** A failure: what the person can do, the request id for the office, and a retry button. */
export const Failure = ({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) => {
  const number = requestIdOf(error);
  return (
    <Message
      tone="bad"
      action={
        retry && (
          <button type="button" class="button" onClick={() => void retry()}>
            {common.again}
          </button>
        )
      }
    >
      {remedyOf(error)}
      {number !== undefined && <div class="small muted">{common.support(number)}</div>}
    </Message>
  );
};

/** Shown instead of an empty list, with the reason or what to do. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children}
  </div>
);

const loadingText = (isSlow: boolean): string | undefined => {
  switch (connection.value) {
    case 'no-server':
      return t.noServer;
    case 'no-network':
      return t.noNetwork;
    case 'ok':
      return isSlow ? t.slow : undefined;
    default:
      return connection.value satisfies never;
  }
};

/** Placeholder lines while data is loading, with a reason if that takes long. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  const text = loadingText(isSlow);
  return (
    <div class="skeleton" role="status" aria-label={text ?? common.loading}>
      {text !== undefined && <p class="small muted">{text}</p>}
      {Array.from({ length: rows }, (_none, at) => (
        <i key={at} />
      ))}
    </div>
  );
};
