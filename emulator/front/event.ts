/** The proxy event that API Gateway passes to a function of a REST API. */
import { randomUUID } from 'node:crypto';
import type { Api } from './gateway.ts';

const firsts = (all: Map<string, string[]>) =>
  Object.fromEntries([...all].map(([name, values]) => [name, values.at(-1)]));

const grouped = (pairs: Iterable<[string, string]>): Map<string, string[]> => {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return all;
};

/** Decodes if possible. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const proxyEventOf = (
  request: Request,
  { id, stage }: Pick<Api, 'id' | 'stage'>,
  account: string,
  { now, requestId } = { now: new Date(), requestId: randomUUID() as string },
) => {
  const { pathname, searchParams } = new URL(request.url);
  const headers = grouped(request.headers);
  const query = grouped(searchParams);
  return {
    resource: '/{proxy+}',
    path: decoded(pathname),
    httpMethod: request.method,
    headers: firsts(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: query.size > 0 ? firsts(query) : null,
    multiValueQueryStringParameters: query.size > 0 ? Object.fromEntries(query) : null,
    pathParameters: { proxy: decoded(pathname.slice(1)) },
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: id,
      resourceId: 'proxy',
      resourcePath: '/{proxy+}',
      httpMethod: request.method,
      stage,
      path: `/${stage}${pathname}`,
      protocol: 'HTTP/1.1',
      requestId,
      extendedRequestId: requestId,
      requestTime: now.toUTCString(),
      requestTimeEpoch: now.getTime(),
      domainName: `${id}.execute-api.amazonaws.com`,
      domainPrefix: id,
      identity: { sourceIp: '127.0.0.1', userAgent: request.headers.get('user-agent') ?? '' },
    },
    body: null,
    isBase64Encoded: false,
  };
};
