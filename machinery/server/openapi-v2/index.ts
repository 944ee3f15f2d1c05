/** `/openapi/v2`, as JSON and as the protobuf that clients written in Go ask for. */
import { notAcceptable } from '../status.ts';
import { taggedResponse, tagOf } from '../tagged.ts';
import { type Document, swaggerOf } from './document.ts';
import { encodeSwagger } from './encode.ts';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Clients ask for the version with an at sign, which a type of content must not have. */
const asked: Readonly<Record<string, string>> = {
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
  [protobuf]: protobuf,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf': protobuf,
};

/** The first type of the Accept header that is served. */
const typeOf = (request: Request): string => {
  const accept = request.headers.get('accept') || '*/*';
  const types = accept.split(',').map((one) => one.split(';', 1)[0]!.trim().toLowerCase());
  const found = types.find((type) => Object.hasOwn(asked, type));
  if (!found) throw notAcceptable(Object.keys(asked));
  return asked[found]!;
};

interface Body {
  bytes: Uint8Array<ArrayBuffer>;
  tag: string;
}

/** Bodies by the texts that they are made from, which the caller keeps. */
const made = new WeakMap<object, Map<string, Body>>();

/** `texts`: the documents of v3. */
export const answerV2 = (request: Request, texts: ReadonlyMap<string, { text: string }>): Response => {
  const type = typeOf(request);
  const bodies = made.get(texts) ?? new Map<string, Body>();
  made.set(texts, bodies);
  let body = bodies.get(type);
  if (!body) {
    const swagger = swaggerOf([...texts.values()].map(({ text }) => JSON.parse(text) as Document));
    const bytes = Buffer.from(type === protobuf ? encodeSwagger(swagger) : JSON.stringify(swagger));
    body = { bytes, tag: tagOf(bytes) };
    bodies.set(type, body);
  }
  return taggedResponse(request, body.bytes, { 'Content-Type': type, 'Cache-Control': 'no-cache, private' }, body.tag);
};
