import { createHash } from 'node:crypto';
import { type Receipt, withoutControls } from '@teaching/contracts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => withoutControls(text).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

/** An amount with its currency code and the decimals of the currency (ISO 4217). */
export const moneyText = (minor: number, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
};

const STYLE = `
  @page { size: A4; margin: 2cm }
  body { font: 12pt/1.5 system-ui, sans-serif; max-width: 17cm; margin: 2cm auto; color: #000; background: #fff }
  h1 { font-size: 18pt; margin: 0 0 1cm }
  dl { display: grid; grid-template-columns: 5cm 1fr; gap: .2cm .5cm; margin: 0 }
  dt { color: #444 } dd { margin: 0; overflow-wrap: anywhere }
  .sum { font-weight: bold; border-top: 1pt solid #000; padding-top: .2cm }
  @media print { body { margin: 0 } }
`;
/** The content security policy of the page: it may load nothing and use only its own style. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`;

/** A receipt as a printable HTML page. */
export const receiptPage = (receipt: Receipt): string => {
  const {
    number,
    year,
    kind,
    org_name,
    student_id,
    student_name,
    package_title,
    package_version,
    hours,
    price_minor,
    currency,
  } = receipt;
  const title = `${kind === 'grant' ? 'Receipt' : 'Refund receipt'} ${year}-${number}`;
  const bought = package_title === null ? [] : [['For', `${package_title}, version ${package_version}`]];
  const rows = [
    ...(org_name === null ? [] : [['From', org_name]]),
    ['Number', `${year}-${number}`],
    ['Date', receipt.date],
    ['Student', student_name === null ? student_id : `${student_name} (${student_id})`],
    ...bought,
    ['Lesson hours', hours],
  ];
  const row = ([name = '', value = '']: readonly string[]): string =>
    `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`;
  const paid = [kind === 'grant' ? 'Paid' : 'Given back', moneyText(price_minor, currency)];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><h1>${escaped(title)}</h1><dl>${rows.map(row).join('')}
<dt class="sum">${paid[0]}</dt><dd class="sum">${escaped(paid[1] ?? '')}</dd></dl></body></html>
`;
};
