/**
 * Formats stored objects for clients: in their version, as JSON or YAML, whole, as metadata or as
 * table rows.
 */
import { ApiError } from '../api/errors.ts';
import { apiVersionOf } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { type Call, warn } from './call.ts';
import { fromStored, prepareShown } from './convert.ts';
import { partialOf } from './meta.ts';
import { type Form, isPlain, isResourceForm, negotiate } from './negotiate.ts';
import { tableOf } from './table.ts';

/** The response formats of this call; 406 for others. */
export const formOf = (call: Call): Form => {
  switch (call.path.subresource) {
    case '':
    case 'status':
      return negotiate(call.request, isResourceForm);
    case 'scale':
      return negotiate(call.request, (form) => isPlain(form) || form.as === 'Table');
    default:
      return negotiate(call.request, isPlain);
  }
};

/** The formats of a watch: YAML cannot be streamed. */
export const streamedFormOf = (call: Call): Form =>
  negotiate(call.request, (form) => form.encoding === 'json' && isResourceForm(form));

export const notThatForm = (form: string, why: string, call: Call): ApiError =>
  new ApiError(
    406,
    'NotAcceptable',
    `you requested ${form}, but the requested object ${why} (${call.resource.kind.kind})`,
  );

/** One object in the requested format; lists and watches consist of these. */
export const shown = (call: Call, stored: KubeObject, form: Form): unknown => {
  const { resource, version } = call;
  switch (form.as) {
    case 'Table': {
      const meta = { resourceVersion: stored.metadata.resourceVersion ?? '' };
      return tableOf(call, [stored], meta, form);
    }
    case 'PartialObjectMetadataList':
      throw notThatForm('PartialObjectMetadataList', 'is not a list', call);
    case 'PartialObjectMetadata':
      return partialOf(fromStored(resource.kind, version, stored), form);
    default:
      return fromStored(resource.kind, version, stored);
  }
};

/** Warns of a deprecated version. */
export const warnOfVersion = (call: Call): void => {
  const { kind } = call.resource;
  const { name, deprecated, deprecationWarning } = call.version;
  if (!deprecated) return;
  warn(call, deprecationWarning ?? `${apiVersionOf(kind.group, name)} ${kind.kind} is deprecated`);
};

/** A quoted text in a Warning header. */
const quoted = (text: string): string =>
  `"${text
    .replace(/\p{Cc}+/gu, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')}"`;
const mostWarningBytes = 4096;
/** Header values are bytes: the platform refuses characters outside Latin-1. */
const headerSafe = (text: string): string => text.replace(/[^\u0020-\u00ff]/g, '?');

export const headersOf = (call: Call, contentType: string): Headers => {
  const headers = new Headers({ 'Content-Type': contentType, 'Cache-Control': 'no-cache, private' });
  let room = mostWarningBytes;
  for (const text of call.warnings) {
    const header = `299 - ${quoted(headerSafe(text))}`;
    room -= header.length;
    if (room < 0) break;
    headers.append('Warning', header);
  }
  return headers;
};

export const contentTypeOf = (form: Form): string =>
  form.encoding === 'yaml' ? 'application/yaml' : 'application/json';

export const encoded = async (body: unknown, { encoding }: Form): Promise<string> =>
  encoding === 'yaml' ? (await import('./yaml.ts')).encodeYaml(body) : `${JSON.stringify(body)}\n`;

export const respond = async (call: Call, body: unknown, form: Form, status: number): Promise<Response> =>
  new Response(await encoded(body, form), { status, headers: headersOf(call, contentTypeOf(form)) });

const prefersYaml = (request: Request): boolean => {
  try {
    return negotiate(request).encoding === 'yaml';
  } catch {
    return false;
  }
};

/** A response in JSON, in YAML for a client that prefers it. */
export const inAskedFormat = async (request: Request, response: Response): Promise<Response> => {
  if (!request.headers.get('accept')?.includes('yaml') || !prefersYaml(request)) return response;
  if (response.headers.get('content-type') !== 'application/json') return response;
  const headers = new Headers(response.headers);
  headers.set('Content-Type', 'application/yaml');
  return new Response(await encoded(await response.json(), { encoding: 'yaml' }), { status: response.status, headers });
};

/** Responds with the stored object in the requested format. */
export const answerObject = async (call: Call, stored: KubeObject, status: number): Promise<Response> => {
  const form = formOf(call);
  warnOfVersion(call);
  await prepareShown(call.resource.kind, call.version, [stored]);
  return respond(call, shown(call, stored, form), form, status);
};
