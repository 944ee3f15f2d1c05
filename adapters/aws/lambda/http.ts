/** Converts between proxy events of a REST API and the web's Request and Response. */
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../../machinery/api/errors.ts';
import { failure } from '../../../machinery/server/status.ts';
import { acceptsGzip, worthCompressing } from '../../node/responses.ts';
import type { ProxyEvent } from './events.ts';

export interface ProxyAnswer {
  statusCode: number;
  multiValueHeaders: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

export interface Head {
  statusCode: number;
  headers: Record<string, string>;
  multiValueHeaders: Record<string, string[]>;
}

export interface RequestOptions {
  /** Path prefix of a custom domain, such as `/capstan`. */
  basePath?: string;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
  /** Maximum duration of a watch in seconds; absent where there is none. */
  watchSeconds?: number;
}

/** Lambda's limit for a response. */
const largestAnswer = 6 * 1024 * 1024 - 64 * 1024;
/** More objects never fit on a page. */
const longestPage = 10_000;
/** A constant, because the client's Host header must decide nothing. */
const origin = 'https://capstan';

const queryOf = ({ multiValueQueryStringParameters }: ProxyEvent): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(multiValueQueryStringParameters ?? {}))
    for (const value of values) query.append(name, value);
  return query;
};

export const isWatch = (query: URLSearchParams): boolean => {
  const watch = query.get('watch');
  return watch !== null && watch !== 'false' && watch !== '0';
};

/** A watch ends with a bookmark before the platform cuts it in the middle of a line. */
const endingInTime = (query: URLSearchParams, most: number): URLSearchParams => {
  if (!isWatch(query)) return query;
  const asked = Number(query.get('timeoutSeconds') ?? '');
  // The server rejects an invalid number.
  if (Number.isNaN(asked)) return query;
  const bounded = new URLSearchParams(query);
  bounded.set('timeoutSeconds', String(Math.max(1, Math.floor(asked > 0 ? Math.min(asked, most) : most))));
  return bounded;
};

const pathOf = ({ path }: ProxyEvent, basePath = ''): string => {
  const own = basePath && (path === basePath || path.startsWith(`${basePath}/`)) ? path.slice(basePath.length) : path;
  const rooted = own.startsWith('/') ? own : `/${own}`;
  // The gateway may have decoded these two, which would end the path.
  return rooted.replaceAll('?', '%3F').replaceAll('#', '%23');
};

/** The gateway's request id and source address replace the client's claims. */
const headersOf = ({ headers, multiValueHeaders, requestContext }: ProxyEvent): Headers => {
  const result = new Headers();
  const all =
    multiValueHeaders ?? Object.fromEntries(Object.entries(headers ?? {}).map(([name, one]) => [name, [one]]));
  for (const [name, values] of Object.entries(all)) for (const value of values) result.append(name, value);
  result.set('audit-id', requestContext.requestId);
  const address = requestContext.identity?.sourceIp;
  if (address) result.set('x-forwarded-for', address);
  else result.delete('x-forwarded-for');
  return result;
};

const bodyOf = ({ httpMethod, body, isBase64Encoded }: ProxyEvent): Buffer<ArrayBuffer> | undefined => {
  if (!body || httpMethod === 'GET' || httpMethod === 'HEAD') return undefined;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
};

export const requestOf = (event: ProxyEvent, { basePath, signal, watchSeconds }: RequestOptions): Request => {
  const asked = queryOf(event);
  const query = (watchSeconds === undefined ? asked : endingInTime(asked, watchSeconds)).toString();
  const body = bodyOf(event);
  return new Request(`${origin}${pathOf(event, basePath)}${query && `?${query}`}`, {
    method: event.httpMethod,
    headers: headersOf(event),
    ...(signal && { signal }),
    ...(body && { body }),
  });
};

/** Headers in the two forms of the gateway, which merges them: a name must be in only one. */
export const headOf = ({ status, headers }: Response, more: Record<string, string> = {}): Head => {
  const head: Head = { statusCode: status, headers: {}, multiValueHeaders: {} };
  for (const [name, value] of headers) {
    // Warnings joined by commas could not be separated.
    if (name === 'warning') head.multiValueHeaders[name] = value.split(/, (?=299 )/);
    else head.headers[name] = value;
  }
  Object.assign(head.headers, more);
  return head;
};

export const compressedHeaders = ({ headers }: Response): Record<string, string> => ({
  'content-encoding': 'gzip',
  vary: [headers.get('vary'), 'Accept-Encoding'].filter(Boolean).join(', '),
});

/** The whole body, compressed if accepted and worthwhile, with its headers. */
export const wholeBody = async (
  request: Request,
  response: Response,
): Promise<{ bytes: Buffer; plain: Buffer; headers: Record<string, string>; isCompressed: boolean }> => {
  const plain = Buffer.from(await response.arrayBuffer());
  if (plain.length < worthCompressing || !acceptsGzip(request) || response.headers.has('content-encoding'))
    return { bytes: plain, plain, headers: {}, isCompressed: false };
  return { bytes: gzipSync(plain, { level: 1 }), plain, headers: compressedHeaders(response), isCompressed: true };
};

const isText = (type: string): boolean => /^(application\/json|text\/)/.test(type);

const tooLarge = (): ProxyAnswer => {
  const message = 'the answer is larger than 6 MB: ask for it in pages (limit, or --chunk-size), or accept gzip';
  const status = failure(new ApiError(413, 'RequestEntityTooLarge', message, {}));
  return {
    statusCode: status.code,
    multiValueHeaders: { 'content-type': ['application/json'] },
    body: `${JSON.stringify(status)}\n`,
    isBase64Encoded: false,
  };
};

/** The function's response, its transmitted size, and its body. */
const packed = async (
  request: Request,
  response: Response,
): Promise<{ answer: ProxyAnswer; size: number; plain: Buffer }> => {
  const { bytes, plain, headers, isCompressed } = await wholeBody(request, response);
  const head = headOf(response, headers);
  const isBase64Encoded = isCompressed || !isText(response.headers.get('content-type') ?? '');
  const single = Object.entries(head.headers).map(([name, value]) => [name, [value]]);
  const answer = {
    statusCode: head.statusCode,
    multiValueHeaders: { ...Object.fromEntries(single), ...head.multiValueHeaders },
    body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
  // JSON escapes quotes and backslashes, so measure the escaped text.
  return { answer, size: Buffer.byteLength(JSON.stringify(answer)), plain };
};

/** Objects on a page, or rows of its table. */
const countOn = (page: Buffer): number => {
  const { items = [], rows = items } = JSON.parse(page.toString()) as { items?: unknown[]; rows?: unknown[] };
  return rows.length;
};

/** The same list with a limit that should fit; undefined for other requests and for a limit of one. */
const shorter = (request: Request, page: Buffer | undefined, size: number): Request | undefined => {
  const url = new URL(request.url);
  const limit = Number(url.searchParams.get('limit'));
  if (request.method !== 'GET' || !(limit > 1)) return undefined;
  const most = Math.min(limit, page ? countOn(page) : longestPage);
  // The remaining objects may be larger than the omitted ones.
  url.searchParams.set('limit', String(Math.max(1, Math.floor((0.9 * most * largestAnswer) / size))));
  return new Request(url, request);
};

/** A buffered response. A page may be shorter than requested. */
export const answerOf = async (
  request: Request,
  fetch: (request: Request) => Promise<Response>,
): Promise<ProxyAnswer> => {
  for (let asked: Request | undefined = request; asked; ) {
    const response = await fetch(asked);
    const { answer, size, plain } = await packed(asked, response);
    if (size <= largestAnswer) return answer;
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    asked = shorter(asked, isJson ? plain : undefined, size);
  }
  return tooLarge();
};
