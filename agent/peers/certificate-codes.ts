/** What OpenSSL finds wrong with a chain of certificates (X509_V_ERR_*, as Node names them). */
const UNTRUSTED =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|CRL_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT)/;

/** Whether a code says that a certificate was not made by who is trusted. */
export function isUntrusted(code: string): boolean {
  return UNTRUSTED.test(code);
}

/** What to say, after the name of the peer, of a certificate that is out of its time; undefined for every other code. */
export function outOfTime(code: string): string | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'has a certificate whose time is over; renew it, or set the clock right';
    case 'CERT_NOT_YET_VALID':
      return 'has a certificate whose time has not begun; set the clock right';
    default:
      return undefined;
  }
}
