import { gunzipSync, gzipSync } from 'node:zlib';
import { tooLarge } from '../api/errors.ts';
import type { KindDefinition } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Cipher } from './cipher.ts';
import { resourceParts } from './context.ts';

/** Uncompressed JSON, in bytes. */
const largest = 1.5 * 1024 * 1024;
/** First byte of a body with an encrypted part; a plain body begins with gzip's own 0x1f. */
const encryptedMark = 1;

export interface Codec {
  /** The body as it is stored, without its resourceVersion. Throws 413 above 1.5 MiB of JSON. */
  encode(type: string, object: KubeObject): Promise<Uint8Array>;
  decode(
    type: string,
    position: number,
    body: Uint8Array,
    of: { namespace: string; name: string; uid: string },
  ): Promise<KubeObject>;
}

const parse = (body: Uint8Array): KubeObject => JSON.parse(gunzipSync(body).toString()) as KubeObject;

export const openCodec = (kindOf: (type: string) => KindDefinition | undefined, cipher: Cipher): Codec => {
  const identityOf = (type: string, { namespace, name, uid }: { namespace: string; name: string; uid: string }) => {
    const { group, plural } = resourceParts(type);
    return [group, plural, namespace, name, uid].join('/');
  };

  return {
    encode: async (type, object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      const whole: KubeObject = { ...object, metadata };
      const json = JSON.stringify(whole);
      const size = Buffer.byteLength(json);
      if (size > largest) throw tooLarge(`the object is too large: ${size} bytes, at most ${largest} are kept`);
      const secret = (kindOf(type)?.encrypted ?? []).filter((field) => whole[field] !== undefined);
      if (secret.length === 0) return gzipSync(json);
      const open = Object.fromEntries(Object.entries(whole).filter(([field]) => !secret.includes(field)));
      const hidden = Object.fromEntries(secret.map((field) => [field, whole[field]]));
      const { namespace = '', name, uid = '' } = metadata;
      const identity = identityOf(type, { namespace, name, uid });
      const sealed = await cipher.encrypt(namespace, identity, gzipSync(JSON.stringify(hidden)));
      const head = Buffer.alloc(5);
      head.writeUInt8(encryptedMark);
      head.writeUInt32BE(sealed.length, 1);
      return new Uint8Array(Buffer.concat([head, sealed, gzipSync(JSON.stringify(open))]));
    },
    decode: async (type, position, body, of) => {
      let object: KubeObject;
      if (body[0] === encryptedMark) {
        const openAt = 5 + Buffer.from(body.buffer, body.byteOffset, body.byteLength).readUInt32BE(1);
        const hidden = await cipher.decrypt(of.namespace, identityOf(type, of), body.subarray(5, openAt));
        object = { ...parse(body.subarray(openAt)), ...parse(hidden) };
      } else {
        object = parse(body);
      }
      object.metadata.resourceVersion = String(position);
      return object;
    },
  };
};
