import { gunzipSync, gzipSync } from 'node:zlib';
import { tooLarge } from '../api/errors.ts';
import type { KindFacts } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Cipher } from './cipher.ts';
import type { DecodedStates } from './decoded.ts';
import { formatOfPurposes, storedFormat } from './format.ts';
import { resourceParts } from './resource.ts';

/** Uncompressed JSON, in bytes. */
const largest = 1.5 * 1024 * 1024;
/**
 * First byte of encrypted bodies and of packed ones, which is gzip's own; a plain body begins with
 * a brace. After the mark of a purpose follow its length (1 byte) and its name, which the data key
 * proves. Format 1 knows no purposes.
 */
const encryptedMark = 1;
const purposeMark = 2;
const packedMark = 0x1f;

interface Identity {
  namespace: string;
  name: string;
  uid: string;
}

export interface Codec {
  /** The stored form of the body, without its resourceVersion. Throws 413 above 1.5 MiB of JSON. */
  encode(type: string, object: KubeObject): Promise<Uint8Array>;
  /** The result of `decode`, when it is cached. */
  known(type: string, position: number, body: Uint8Array, of: Identity): KubeObject | undefined;
  /** Frozen, because callers share it. */
  decode(type: string, position: number, body: Uint8Array, of: Identity): Promise<KubeObject>;
  /**
   * Registers a state that this process stored as `body`. Returns what `decode` would, without
   * parsing.
   */
  written(type: string, position: number, body: Uint8Array, object: KubeObject): KubeObject;
  /** Registers an object that this process deleted. */
  removed(object: KubeObject): void;
  /** The purpose that a body is encrypted for; undefined for any other body. */
  purposeOf(body: Uint8Array): string | undefined;
  /** The purpose that the object would be encrypted for now. */
  purposeFor(type: string, object: KubeObject): Promise<string | undefined>;
}

/**
 * A small window and small chunks: most bodies are a few kilobytes, and zlib's larger buffers cost
 * more than the compression. The default level takes twice as long to save four bytes in a hundred,
 * which is few write units.
 */
const packing = { level: 3, windowBits: 13, memLevel: 6, chunkSize: 4096 };
/** A copy, because otherwise the whole chunk stays in memory with the few bytes used of it. */
const pack = (json: string): Uint8Array => new Uint8Array(gzipSync(json, packing));

interface Identified {
  namespace?: string;
  name: string;
  uid?: string;
}

/** Parses a body that is not encrypted. */
export type Parse = (body: Uint8Array) => KubeObject;
export const parse: Parse = (body) => {
  const bytes = body[0] === packedMark ? gunzipSync(body, { chunkSize: 4096 }) : Buffer.from(body);
  return JSON.parse(bytes.toString()) as KubeObject;
};

export interface CodecOptions {
  isPacking?: boolean | undefined;
  /** Bytes of JSON; smaller bodies are not packed. */
  packFrom?: number | undefined;
  parse?: Parse | undefined;
  /** The format that every process of the installation reads, and that is written; the newest by default. */
  format?: (() => Promise<number>) | undefined;
}

const purposeOf = (body: Uint8Array): string | undefined =>
  body[0] === purposeMark ? Buffer.from(body.subarray(2, 2 + body[1]!)).toString() : undefined;
const markOf = (purpose: string | undefined): Buffer => {
  if (purpose === undefined) return Buffer.of(encryptedMark);
  const name = Buffer.from(purpose);
  return Buffer.concat([Buffer.of(purposeMark, name.length), name]);
};

export const openCodec = (
  kindOf: (type: string) => KindFacts | undefined,
  cipher: Cipher,
  states: DecodedStates,
  { isPacking = true, packFrom = 0, parse: read = parse, format = async () => storedFormat }: CodecOptions = {},
): Codec => {
  const identityOf = (type: string, { namespace = '', name, uid = '' }: Identified) => {
    const { group, plural } = resourceParts(type);
    return [group, plural, namespace, name, uid].join('/');
  };

  const isSealed = (body: Uint8Array) => body[0] === encryptedMark || body[0] === purposeMark;
  const purposeFor = async (type: string, object: KubeObject): Promise<string | undefined> => {
    const kind = kindOf(type);
    return kind?.encrypted && kind.purpose && (await format()) >= formatOfPurposes ? kind.purpose(object) : undefined;
  };
  const opened = (body: Uint8Array, namespace: string, identity: string): Promise<Uint8Array> => {
    const purpose = purposeOf(body);
    const sealed = body.subarray(purpose === undefined ? 1 : 2 + body[1]!);
    return cipher.decrypt({ namespace, purpose }, identity, sealed);
  };
  const encodedAs = (type: string, uid: string, position: number, body: Uint8Array) => ({
    uid,
    type,
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
      const plain = isPacking && size >= packFrom ? pack(json) : new TextEncoder().encode(json);
      if (!kindOf(type)?.encrypted) return plain;
      const purpose = await purposeFor(type, whole);
      const use = { namespace: metadata.namespace ?? '', purpose };
      const sealed = await cipher.encrypt(use, identityOf(type, metadata), plain);
      return new Uint8Array(Buffer.concat([markOf(purpose), sealed]));
    },
    known: (type, position, body, { namespace, name, uid }) => {
      const object = states.find(uid, type, position, body.length);
      return object?.metadata.name === name && (object.metadata.namespace ?? '') === namespace ? object : undefined;
    },
    decode: async (type, position, body, of) => {
      const plain = isSealed(body) ? await opened(body, of.namespace, identityOf(type, of)) : body;
      const object = read(plain);
      const whole: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: String(position) } };
      return states.decoded(encodedAs(type, of.uid, position, body), whole);
    },
    written: (type, position, body, object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      const whole: KubeObject = { ...object, metadata: { ...metadata, resourceVersion: String(position) } };
      return states.written(encodedAs(type, metadata.uid ?? '', position, body), whole);
    },
    removed: ({ metadata: { uid = '' } }) => states.forget(uid),
    purposeOf,
    purposeFor,
  };
};
