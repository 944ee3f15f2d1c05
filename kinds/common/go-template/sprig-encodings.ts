/** sprig's functions of encodings and checksums. */
import { createHash } from 'node:crypto';
import type { GoFunction } from './execute.ts';
import { TemplateError, type Value } from './nodes.ts';
import { stringIn, toPlain } from './operands.ts';

/** As Go escapes texts in JSON. */
const htmlSafe = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const toJson: GoFunction = (value) => htmlSafe(JSON.stringify(toPlain(value)));
const toRawJson: GoFunction = (value) => JSON.stringify(toPlain(value));
const toPrettyJson: GoFunction = (value) => htmlSafe(JSON.stringify(toPlain(value), null, 2));
const parsed = (text: Value): Value => JSON.parse(stringIn(text)) as Value;
const fromJson: GoFunction = (text) => {
  try {
    return parsed(text);
  } catch {
    return null;
  }
};
const mustFromJson: GoFunction = (text) => {
  try {
    return parsed(text);
  } catch (error) {
    throw new TemplateError((error as Error).message);
  }
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const base32 = (text: string): string => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
};
const fromBase32 = (text: string): string => {
  const bits = [...text.replace(/=+$/, '')].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString();
};
const fromBase64: GoFunction = (text) => {
  const encoded = stringIn(text);
  const isValid = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(encoded);
  return isValid ? Buffer.from(encoded, 'base64').toString() : `illegal base64 data`;
};

const checksum =
  (algorithm: string): GoFunction =>
  (text) =>
    createHash(algorithm).update(stringIn(text)).digest('hex');
const adler32 = (text: string): string => {
  let [a, b] = [1, 0];
  for (const byte of Buffer.from(text)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return String(b * 65536 + a);
};

export const encodings: Record<string, GoFunction> = {
  toJson,
  mustToJson: toJson,
  toRawJson,
  mustToRawJson: toRawJson,
  toPrettyJson,
  mustToPrettyJson: toPrettyJson,
  fromJson,
  mustFromJson,
  b64enc: (text) => Buffer.from(stringIn(text)).toString('base64'),
  b64dec: fromBase64,
  b32enc: (text) => base32(stringIn(text)),
  b32dec: (text) => fromBase32(stringIn(text)),
  sha1sum: checksum('sha1'),
  sha256sum: checksum('sha256'),
  sha512sum: checksum('sha512'),
  adler32sum: (text) => adler32(stringIn(text)),
};
