import { gunzipSync, gzipSync } from 'node:zlib';
import { tooLarge } from '../api/errors.ts';
import type { KindFacts } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Cipher } from './cipher.ts';
import { resourceParts } from './context.ts';
import type { DecodedStates } from './decoded.ts';

/** Uncompressed JSON, in bytes. */
const largest = 1.5 * 1024 * 1024;
/** First byte of an encrypted body; a plain one begins with gzip's own 0x1f. */
const encryptedMark = 1;

export interface Codec {
  /** The body as it is stored, without its resourceVersion. Throws 413 above 1.5 MiB of JSON. */
  encode(type: string, object: KubeObject): Promise<Uint8Array>;
  /** Frozen: it may be handed out again. */
  decode(
    type: string,
    position: number,
    body: Uint8Array,
    of: { namespace: string; name: string; uid: string },
  ): Promise<KubeObject>;
}

const parse = (body: Uint8Array): KubeObject => JSON.parse(gunzipSync(body).toString()) as KubeObject;

export const openCodec = (
  kindOf: (type: string) => KindFacts | undefined,
  cipher: Cipher,
  states: DecodedStates,
): Codec => {
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
      const plain = gzipSync(json);
      if (!kindOf(type)?.encrypted) return plain;
      const { namespace = '', name, uid = '' } = metadata;
      const sealed = await cipher.encrypt(namespace, identityOf(type, { namespace, name, uid }), plain);
      return new Uint8Array(Buffer.concat([Buffer.of(encryptedMark), sealed]));
    },
    decode: async (type, position, body, of) => {
      const isSealed = body[0] === encryptedMark;
      const identity = identityOf(type, of);
      return states.of(`${identity}#${position}`, body, isSealed, async () => {
        const object = parse(isSealed ? await cipher.decrypt(of.namespace, identity, body.subarray(1)) : body);
        object.metadata.resourceVersion = String(position);
        return object;
      });
    },
  };
};
