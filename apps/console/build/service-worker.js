/* Opens the page without network where it was open before. The build inserts its hash and its file names. */
const BUILD = 'BUILD';
const FILES = ['FILES'];
const CACHE = `console ${BUILD}`;
/** The service worker never caches or answers these paths. */
const UNCACHED_PATHS = /^\/(api|auth|docs|health|openapi\.json|asyncapi\.json)(\/|$)/;
/** After this time without an answer, the cached page is shown. */
const PAGE_TIMEOUT_MS = 3_000;

const cached = async (path) => (await caches.open(CACHE)).match(path);

/** The current page. The cached one without network, or if the network does not answer. */
const page = async (request) => {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
    if (answer.ok || answer.status < 500) return answer;
    return (await cached('/')) ?? answer;
  } catch (error) {
    const cachedPage = await cached('/');
    if (cachedPage === undefined) throw error;
    return cachedPage;
  }
};

/** A file that is named by its content never changes, so the cached copy is always right. */
const file = async (request, path) => (await cached(path)) ?? fetch(request);

self.addEventListener('install', (event) => {
  const requests = FILES.map((path) => new Request(path, path.startsWith('/assets/') ? {} : { cache: 'reload' }));
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(requests))
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
  if (request.method !== 'GET' || origin !== self.location.origin || UNCACHED_PATHS.test(pathname)) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (FILES.includes(pathname)) event.respondWith(file(request, pathname));
});
