import { sign } from 'node:crypto';
import type { KeyPair } from './certificates.ts';

/** The certificate as its authority would have made it years ago: other dates, and signed again. */
export function expiredCertificate({ certificate, key }: KeyPair, authority: KeyPair): KeyPair {
  const base64 = certificate.replace(/-----[^-]+-----/g, '');
  const [signed = EMPTY, algorithm = EMPTY] = partsOf(contentOf(Buffer.from(base64, 'base64')));
  // Both dates are UTCTime: the tag, 13 characters, YYMMDDHHMMSSZ.
  const dates = /\x17\x0d\d{12}Z\x17\x0d\d{12}Z/;
  const aged = Buffer.from(
    signed.toString('latin1').replace(dates, '\x17\x0d100101000000Z\x17\x0d110101000000Z'),
    'latin1',
  );
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', aged, authority.key)]);
  const made = derOf(0x30, Buffer.concat([aged, algorithm, derOf(0x03, signature)]));
  const lines = made.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key,
  };
}

const EMPTY = Buffer.alloc(0);

/** The bytes of a value's header (DER, X.690 8.1.3), and of what it holds. */
function sizesOf(value: Buffer): { readonly header: number; readonly content: number } {
  const first = value[1] ?? 0;
  const more = first < 0x80 ? 0 : first - 0x80;
  return { header: 2 + more, content: more === 0 ? first : value.readUIntBE(2, more) };
}

function contentOf(value: Buffer): Buffer {
  return value.subarray(sizesOf(value).header);
}

function partsOf(content: Buffer): readonly Buffer[] {
  if (content.length === 0) return [];
  const { header, content: length } = sizesOf(content);
  return [content.subarray(0, header + length), ...partsOf(content.subarray(header + length))];
}

function derOf(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
