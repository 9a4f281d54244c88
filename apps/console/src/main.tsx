import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { takeNewerBuild } from './frame/newer-build.ts';
import { open } from './shared/api.ts';
import { listen } from './shared/changes.ts';
import { keepFocus } from './shared/focus.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('the page has no place for the app');

listen();
keepFocus();
void open();
void import('./roll-call/queue/sender.ts').then(({ start }) => start(), takeNewerBuild);
// While the page is worked on, nothing old may be shown.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined);
render(<App />, root);
