import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isProblem, isTransient, NoAnswerError } from '@teaching/client/browser';
import { common } from '../common-texts.ts';
import { connection } from '../connection.ts';
import { texts } from '../language.ts';
import { requestIdOf, remedyOf } from '../problem-texts.ts';
import { session } from '../session.ts';

const t = texts({
  slow: { en: 'This takes longer than usual. The page keeps trying.', zh: '加载时间较长，页面会继续尝试。' },
  noServer: {
    en: 'The server does not answer. The page continues by itself.',
    zh: '服务器没有响应，恢复后页面会自动继续。',
  },
  noNetwork: {
    en: 'This device has no network. The page continues by itself.',
    zh: '此设备没有网络，恢复后页面会自动继续。',
  },
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

/** Why a request that is repeated by itself has no answer; undefined if the server answers. */
const waitingText = (): string | undefined => {
  switch (connection.value) {
    case 'no-server':
      return t.noServer;
    case 'no-network':
      return t.noNetwork;
    case 'ok':
      return undefined;
    default:
      return connection.value satisfies never;
  }
};

/** Advice about a failure. While the server does not answer, the page repeats some requests by itself. */
const failureText = (error: unknown, isRepeated: boolean): string => {
  if (!isRepeated || !isTransient(error)) return remedyOf(error);
  return waitingText() ?? (error instanceof NoAnswerError ? t.noServer : remedyOf(error));
};

/**
 * A failure: what the person can do and the request id for the office. `retry` repeats a request that is also
 * repeated by itself after temporary failures; its button is shown if it can help.
 * Nothing if the session has ended: then the page and the dialog above it offer the log-in.
 */
export const Failure = ({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) => {
  if (session.value.state === 'ended' && isProblem(error, 'unauthenticated')) return null;
  const number = requestIdOf(error);
  return (
    <Message
      tone="bad"
      action={
        retry &&
        !isProblem(error, 'not_found') && (
          <button type="button" class="button" onClick={() => void retry()}>
            {common.again}
          </button>
        )
      }
    >
      {failureText(error, retry !== undefined)}
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

/** Placeholder lines while data is loading, with a reason if that takes long. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  const text = waitingText() ?? (isSlow ? t.slow : undefined);
  return (
    <div class="skeleton" role="status" aria-label={text ?? common.loading}>
      {text !== undefined && <p class="small muted">{text}</p>}
      {Array.from({ length: rows }, (_none, at) => (
        <i key={at} />
      ))}
    </div>
  );
};
