import { expect, it } from 'vitest';
import { proxyEvent } from '../../adapters/aws/lambda/events.ts';
import { proxyEventOf } from './event.ts';

const eventOf = (path: string, headers: [string, string][] = []) =>
  proxyEventOf(new Request(`https://127.0.0.1${path}`, { headers }), { id: 'abc', stage: 'v1' }, '000000000000');

it.each([
  { rule: 'omits a missing query', path: '/api', query: null, read: '/api' },
  {
    rule: 'keeps every value of a repeated parameter',
    path: '/api?a=1&b=x%20y&a=2',
    query: { a: ['1', '2'], b: ['x y'] },
    read: '/api',
  },
  { rule: 'decodes the path', path: '/api/v1/namespaces/a%3Ab', query: null, read: '/api/v1/namespaces/a:b' },
  { rule: 'keeps a path that cannot be decoded', path: '/api/%zz', query: null, read: '/api/%zz' },
])('$rule', ({ path, query, read }) => {
  const event = eventOf(path);
  expect(event.multiValueQueryStringParameters).toEqual(query);
  expect(event.path).toBe(read);
  expect(event.requestContext.path.startsWith('/v1/')).toBe(true);
});

it('has the shape that functions read from API Gateway', () => {
  const event = eventOf('/api?watch=true', [['authorization', 'Bearer x']]);
  expect(proxyEvent().parse(event)).toMatchObject({
    httpMethod: 'GET',
    headers: { authorization: 'Bearer x' },
    multiValueHeaders: { authorization: ['Bearer x'] },
    body: null,
    isBase64Encoded: false,
  });
});
