/** Request bodies: limited in size, and decoded by media type to plain JSON values. */
import { badRequest, tooLarge } from '../api/errors.ts';
import { type IsFloat, MalformedJson, type ParsedJson, parseJson, withoutNulls } from './json.ts';
import { unsupportedMediaType } from './status.ts';

const mostBytes = 3 * 1024 * 1024;

const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
} as const;
/** Media types for custom resources; built-in kinds also accept protobuf. */
export const customTypes: string[] = [mediaTypes.json, mediaTypes.yaml];
export const builtInTypes: string[] = [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf];

/** The media type without parameters; JSON by default. */
export const mediaTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase() || mediaTypes.json;

/** The whole body; 413 above 3 MiB. */
export const readBody = async (request: Request): Promise<Uint8Array> => {
  const tooMuch = () => tooLarge(`Request entity too large: limit is ${mostBytes}`);
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooMuch();
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    // Do not cancel the stream: that would close the connection before the client reads the
    // refusal.
    if (size > mostBytes) throw tooMuch();
    chunks.push(value);
  }
};

export type Decoded = Omit<ParsedJson, 'value'> & { value: unknown };

const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8').decode(bytes);

/** 415 unless the type is among `accepted`. Throws MalformedJson for bytes that do not parse. */
export const decodeBody = async (
  bytes: Uint8Array,
  mediaType: string,
  accepted: string[],
  isFloat?: IsFloat,
): Promise<Decoded> => {
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(builtInTypes);
  switch (mediaType) {
    case mediaTypes.yaml:
      return (await import('./yaml.ts')).decodeYaml(textOf(bytes), isFloat);
    case mediaTypes.protobuf:
      return { value: (await import('./protobuf.ts')).decodeProtobuf(bytes), duplicates: [] };
    default:
      return parseJson(textOf(bytes), isFloat);
  }
};

/** A body without a schema, whose nulls are absent fields, as in every typed object; undefined without a body. */
export const readFields = async (request: Request): Promise<unknown> => {
  const bytes = await readBody(request);
  return bytes.length === 0
    ? undefined
    : withoutNulls((await decodeBody(bytes, mediaTypeOf(request), builtInTypes)).value);
};

/** The options in the body of a DELETE; undefined without a body. */
export const readOptions = async (request: Request): Promise<unknown> => {
  try {
    return await readFields(request);
  } catch (error) {
    if (error instanceof MalformedJson) throw badRequest(error.message);
    throw error;
  }
};
