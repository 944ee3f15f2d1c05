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
  /** Tells of a state that this process stored as `body`. Answers what `decode` would: it need not be parsed again. */
  written(type: string, position: number, body: Uint8Array, object: KubeObject): KubeObject;
  /** Tells of an object that this process deleted. */
  removed(type: string, object: KubeObject): void;
}

/** A small window and small chunks: most bodies are a few kilobytes, and what zlib sets up for more costs more than packing them. */
const packing = { windowBits: 13, memLevel: 6, chunkSize: 4096 };
/** A copy, because a chunk would stay in memory with the few bytes used of it. */
const pack = (json: string): Uint8Array => new Uint8Array(gzipSync(json, packing));

interface Identified {
  namespace?: string;
  name: string;
  uid?: string;
}

const parse = (body: Uint8Array): KubeObject =>
  JSON.parse(gunzipSync(body, { chunkSize: 4096 }).toString()) as KubeObject;

export const openCodec = (
  kindOf: (type: string) => KindFacts | undefined,
  cipher: Cipher,
  states: DecodedStates,
): Codec => {
  const identityOf = (type: string, { namespace = '', name, uid = '' }: Identified) => {
    const { group, plural } = resourceParts(type);
    return [group, plural, namespace, name, uid].join('/');
  };

  const isSealed = (body: Uint8Array) => body[0] === encryptedMark;
  const stateId = (type: string, { namespace = '', name, uid = '' }: Identified) =>
    `${type}/${namespace}/${name}/${uid}`;
  const encodedAs = (id: string, position: number, body: Uint8Array) => ({
    id,
    position,
    size: body.length,
    isEncrypted: isSealed(body),
  });
  return {
    encode: async (type, object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      const whole: KubeObject = { ...object, metadata };
      const json = JSON.stringify(whole);
      const size = Buffer.byteLength(json);
      if (size > largest) throw tooLarge(`the object is too large: ${size} bytes, at most ${largest} are kept`);
      const plain = pack(json);
      if (!kindOf(type)?.encrypted) return plain;
      const sealed = await cipher.encrypt(metadata.namespace ?? '', identityOf(type, metadata), plain);
      return new Uint8Array(Buffer.concat([Buffer.of(encryptedMark), sealed]));
    },
    decode: async (type, position, body, of) => {
      const encoded = encodedAs(stateId(type, of), position, body);
      const known = states.find(encoded);
      if (known) return known;
      const plain = isSealed(body) ? await cipher.decrypt(of.namespace, identityOf(type, of), body.subarray(1)) : body;
      const object = parse(plain);
      object.metadata.resourceVersion = String(position);
      return states.decoded(encoded, object);
    },
    written: (type, position, body, object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      const whole: KubeObject = { ...object, metadata: { ...metadata, resourceVersion: String(position) } };
      return states.written(encodedAs(stateId(type, metadata), position, body), whole);
    },
    removed: (type, { metadata }) => states.forget(stateId(type, metadata)),
  };
};
