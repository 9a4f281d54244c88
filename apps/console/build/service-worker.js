/* The page opens without network where it was open before. The build writes its name and its files in here. */
const BUILD = 'BUILD';
const FILES = ['FILES'];
const CACHE = `console ${BUILD}`;
/** Nothing of these is ever kept or answered here. */
const NOT_OURS = /^\/(api|auth|docs|health|openapi\.json|asyncapi\.json)(\/|$)/;
/** After so long without an answer, a page that is opened is the one that is kept. */
const PATIENCE_MS = 3_000;

const kept = async (path) => (await caches.open(CACHE)).match(path);

/** The page as it is now; without network, or with one that says nothing, as it was. */
const page = async (request) => {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok || answer.status < 500) return answer;
    return (await kept('/')) ?? answer;
  } catch (error) {
    const last = await kept('/');
    if (last === undefined) throw error;
    return last;
  }
};

/** A file that its name tells from every other one need not be asked for again. */
const file = async (request, path) => (await kept(path)) ?? fetch(request);

self.addEventListener('install', (event) => {
  const fresh = FILES.map((path) => new Request(path, path.startsWith('/assets/') ? {} : { cache: 'reload' }));
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(fresh))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin || NOT_OURS.test(pathname)) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (FILES.includes(pathname)) event.respondWith(file(request, pathname));
});
