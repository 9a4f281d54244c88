import { expect, it } from 'vitest';
import { receiptPage } from './receipt-page.rules.ts';

it('prints the texts of a receipt without control characters of older texts', () => {
  const page = receiptPage({
    number: 1,
    year: 2030,
    entry_id: '01900000-0000-7000-8000-000000000001',
    kind: 'grant',
    org_name: 'School\u0007 of <Song>\r\u0085',
    student_id: 'ann',
    student_name: 'Ann\u0000\u007f\u009f',
    package_id: null,
    package_title: null,
    package_version: null,
    hours: '1.00',
    price_minor: 100,
    currency: 'EUR',
    date: '2030-01-01',
    issued_at: '2030-01-01T00:00:00.000Z',
  });
  // HTML calls other control characters a parse error (WHATWG HTML §13.2.3.5).
  expect(page).not.toMatch(/[^\P{Cc}\n]/u);
  expect(page).toContain('<dd>School of &lt;Song&gt;\n\n</dd>');
  expect(page).toContain('<dd>Ann (ann)</dd>');
});
