import { SYSTEM } from './openapi.ts';

/** Where the page's own files are. */
export const SCRIPT_PATH = '/docs/reference.js';
export const START_PATH = '/docs/start.js';

/** The page to read and try the API. Everything it needs comes from here. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SYSTEM}</title>
</head>
<body>
<div id="reference"></div>
<script src="${SCRIPT_PATH}"></script>
<script src="${START_PATH}"></script>
</body>
</html>
`;

/** How the reference is shown: offline, with a field for the token that is kept for the next visit. */
const OPTIONS = {
  url: '/openapi.json',
  metaData: { title: SYSTEM },
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: true,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

export const START = `Scalar.createApiReference('#reference', ${JSON.stringify(OPTIONS)});\n`;

/** What the page may load and ask: only from where it came, over whatever scheme that was. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
