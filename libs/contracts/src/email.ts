/** Most octets of a local part and of an address (RFC 5321 §4.5.3.1), in UTF-8 (RFC 6531 §3.3). */
const [MAX_LOCAL, MAX_ADDRESS] = [64, 254];
/** Most characters of a domain in its ASCII form (RFC 1035 §2.3.4). */
const MAX_DOMAIN = 253;

/** Words separated by single dots: `atext` of RFC 5322 §3.2.3, and characters outside ASCII (RFC 6531 §3.3). */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const DOMAIN = /^[A-Za-z\d.\u{80}-\u{10ffff}-]+$/u;
/** A label of a domain in its ASCII form. */
const LABEL = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
/** Spaces, control and format characters, which no address contains visibly. */
const INVISIBLE = /[\s\p{Z}\p{C}]/u;

const octets = (value: string): number => new TextEncoder().encode(value).length;

/** At least two labels after conversion to ASCII (UTS 46), the last of which is no number. */
const isDomain = (domain: string): boolean => {
  if (!DOMAIN.test(domain)) return false;
  const host = URL.parse(`http://${domain}`)?.hostname ?? '';
  const labels = host.split('.');
  return (
    host.length <= MAX_DOMAIN &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    /\D/.test(labels.at(-1) ?? '')
  );
};

/**
 * Whether the text is an e-mail address as offices exchange them: local part and domain of RFC 5321, in any script (RFC
 * 6531 and IDNA). Quoted local parts, address literals, domains of one label, and addresses with invisible characters,
 * zero-width joiners among them, are none.
 */
export const isEmailAddress = (value: string): boolean => {
  const at = value.lastIndexOf('@');
  const local = value.slice(0, Math.max(at, 0));
  return (
    !INVISIBLE.test(value) &&
    octets(value) <= MAX_ADDRESS &&
    octets(local) <= MAX_LOCAL &&
    LOCAL.test(local) &&
    isDomain(value.slice(at + 1))
  );
};
